// Text made safe to look at. Prompts come escaped from the server; what agents and tools print is escaped here.

const ESCAPE_SEQUENCE = /\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])/g;
const UNSEEN = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** A text with nothing in it that hides or reorders what stands there; colour codes of terminals are left out. */
export function visible(text) {
  return text
    .replace(ESCAPE_SEQUENCE, "")
    .replace(/\r\n/g, "\n")
    .replace(UNSEEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The first line of a text, cut to a length. */
export function line(text, most) {
  const first = visible(text).trim().replace(/\s+/g, " ");
  return first.length > most ? `${first.slice(0, most - 1)}…` : first;
}

/** `1 prompt`, `2 prompts`. */
export function count(number, word) {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
