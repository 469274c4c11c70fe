// What stands on a card besides the buttons: what would run, where, why, for whom, and what would be remembered.

import { el } from "/console/core/dom.js";
import { line, visible } from "/console/core/text.js";

const LONG_LINES = 14;
const SHORT_RULE = 240;
const NARROW = "(max-width: 760px)"; // as in the style: there the buttons should not be far below

/** What would run, exactly as the server escaped it; long text scrolls and says how long it is. */
export function command(prompt) {
  const text = prompt.display;
  const lines = text.split("\n").length;
  const box = el("pre", { class: "command", tabindex: "0", "aria-label": "What would run" }, text);
  if (lines <= LONG_LINES && text.length <= 1200) return [box];
  box.classList.add("long");
  const size = `${lines} lines, ${text.length} characters. Scroll to read all of it before you decide.`;
  return [box, el("p", { class: "quiet" }, size)];
}

/** What was found in the text that could deceive a reader. */
export function warnings(prompt) {
  if (prompt.warnings.length === 0) return null;
  return el(
    "div",
    { class: "warnings", role: "note" },
    el("strong", {}, "This text could mislead you"),
    el("ul", {}, prompt.warnings.map((text) => el("li", {}, visible(text)))),
  );
}

/** Who asks, from where, and how far it could reach. */
export function details(prompt) {
  const rows = [
    ["Directory", prompt.directory ? el("code", {}, visible(prompt.directory)) : null],
    ["Tool", prompt.tool ? el("code", {}, visible(prompt.tool)) : null],
    ["Sub-agent", prompt.path !== "root" ? el("code", {}, visible(prompt.path)) : null],
    ["Asked by", prompt.requested_by ?? null],
    ["Session", prompt.session_id ? el("a", { href: `#/sessions/${encodeURIComponent(prompt.session_id)}` }, line(prompt.session_id, 40)) : null],
  ];
  return el(
    "dl",
    { class: "details" },
    rows.filter(([, value]) => value !== null).map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))),
  );
}

/** The exact rule that each choice would make that is remembered. */
export function rules(prompt) {
  const names = { session: "For this session", always: "Always" };
  const entries = Object.keys(names).filter((choice) => choice in prompt.rules).map((choice) => [choice, prompt.rules[choice]]);
  if (entries.length === 0) return null;
  return el(
    "details",
    { class: "rules", open: !matchMedia(NARROW).matches && entries.every(([, text]) => text.length <= SHORT_RULE) },
    el("summary", {}, "What “for this session” and “always” would remember"),
    el(
      "dl",
      {},
      entries.map(([choice, text]) => el("div", {}, el("dt", {}, names[choice]), el("dd", {}, visible(text)))),
    ),
  );
}
