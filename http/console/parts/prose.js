// What an agent says: paragraphs, and code where it fences some. Nothing else is taken for markup.

import { el } from "/console/core/dom.js";
import { visible } from "/console/core/text.js";

const FENCE = /^(`{3,})[^`\n]*\n([\s\S]*?)(?:^\1`*[ \t]*$\n?|(?![\s\S]))/m;

/** The nodes of a text. */
export function prose(text) {
  const nodes = [];
  let rest = visible(text);
  for (let found = FENCE.exec(rest); found !== null; found = FENCE.exec(rest)) {
    nodes.push(...paragraph(rest.slice(0, found.index)), code(found[2]));
    rest = rest.slice(found.index + found[0].length);
  }
  return [...nodes, ...paragraph(rest)];
}

/** A block of text that keeps its shape. A screen reader and the keyboard can reach what scrolls. */
export function code(text) {
  return el("pre", { class: "code", tabindex: "0" }, text.replace(/\n$/, ""));
}

function paragraph(text) {
  const trimmed = text.replace(/^\n+|\s+$/g, "");
  return trimmed === "" ? [] : [el("p", { class: "prose" }, trimmed)];
}
