// The lines of a transcript: what one item of it looks like, and how it goes on.

import { el, say, show } from "/console/core/dom.js";
import { line, visible } from "/console/core/text.js";
import { duration, moment } from "/console/core/time.js";
import { Card } from "/console/parts/card.js";
import { sentence } from "/console/parts/decision.js";
import { command, warnings } from "/console/parts/facts.js";
import { code, prose } from "/console/parts/prose.js";

const ENDS = { failed: "It failed", cancelled: "It was stopped", interrupted: "It was interrupted" };

/** A part for an item. */
export function entry(item, app) {
  return new (KINDS[item.kind] ?? Note)(item, app);
}

class Entry {
  constructor(item, ...content) {
    this.node = el("li", { class: `item ${item.kind}` }, ...content);
  }

  update() {}
}

class Said extends Entry {
  constructor(item, who) {
    const body = el("div", { class: "bubble" });
    super(item, el("p", { class: "speaker" }, who, el("time", {}, moment(item.at))), body);
    this.body = body;
  }

  update(item) {
    show(this.node, !item.dropped);
    if (item.text === this.text) return;
    this.text = item.text;
    this.body.replaceChildren(...prose(item.text));
  }
}

class User extends Said {
  constructor(item) {
    super(item, "Asked");
  }
}

class Assistant extends Said {
  constructor(item) {
    super(item, "Agent");
  }
}

class Steer extends Said {
  constructor(item) {
    super(item, `${item.by}, while it ran`);
  }
}

class Thought extends Entry {
  constructor(item) {
    const body = el("p", { class: "prose" });
    super(item, el("details", {}, el("summary", {}, "Reasoning"), body));
    this.body = body;
  }

  update(item) {
    show(this.node, !item.dropped);
    say(this.body, visible(item.text).trim());
  }
}

class Tool extends Entry {
  constructor(item) {
    const state = el("span", { class: "badge" });
    const output = code("");
    output.setAttribute("aria-label", "Output");
    super(
      item,
      el("details", { open: true }, el("summary", {}, el("code", {}, visible(item.tool)), " ", el("span", { class: "preview" }, line(item.preview ?? "", 120)), state), output),
    );
    this.state = state;
    this.output = output;
  }

  update(item) {
    const { done } = item;
    say(this.state, done === null ? "running" : `${done.failed ? "failed" : "done"} · ${duration(done.seconds)}`);
    this.state.dataset.state = done === null ? "running" : done.failed ? "failed" : "done";
    const text = visible(item.output || done?.preview || "");
    show(this.output, text.trim() !== "");
    say(this.output, text);
  }
}

/** A question: while it is open the very card of the inbox, afterwards what was asked and how it ended. */
class Prompt extends Entry {
  #app;
  #card = null;

  constructor(item, app) {
    super(item);
    this.#app = app;
  }

  update(item) {
    const ended = item.ended ?? this.#app.state.prompts[item.id]?.ended ?? null;
    const open = ended === null ? this.#app.state.prompts[item.id] : undefined;
    this.node.dataset.status = ended === null ? "open" : ended.status;
    if (open !== undefined) this.#ask(open);
    else this.#tell(item, ended);
  }

  tick() {
    this.#card?.tick();
  }

  disturb() {
    this.#card?.disturb();
  }

  leave() {
    this.#card?.leave();
  }

  #ask(prompt) {
    if (this.#card === null) {
      this.#card = new Card(this.#app, prompt);
      this.node.replaceChildren(this.#card.node);
    }
    this.#card.update(prompt);
  }

  #tell(item, ended) {
    if (this.told === ended && this.#card === null) return;
    this.#card?.leave();
    this.#card = null;
    this.told = ended;
    const { prompt } = item;
    const question = prompt.event === "clarify.request";
    const why = visible(question ? prompt.question : prompt.description || "Asked for approval");
    this.node.replaceChildren(
      el("p", { class: "speaker" }, why, el("time", {}, moment(item.at))),
      ...(question ? [] : [...command(prompt), warnings(prompt)].filter(Boolean)),
      el("p", { class: "verdict" }, ended === null ? "Waits for an answer" : sentence(ended)),
    );
  }
}

class Granted extends Entry {
  constructor(item) {
    super(item, el("p", {}, "Allowed by a rule: ", el("code", {}, item.display)));
  }
}

class Note extends Entry {
  constructor(item) {
    super(item, el("p", {}, visible(item.text ?? item.kind)));
  }
}

class End extends Entry {
  constructor(item) {
    const why = item.error === null ? "" : `: ${visible(item.error.message)}${item.error.code ? ` (${item.error.code})` : ""}`;
    super(item, el("p", {}, `${ENDS[item.status]}${why}`));
  }
}

class Unknown extends Entry {
  constructor(item, app) {
    const settle = el("button", { type: "button", onclick: () => app.settle(item.run) }, "Take it as interrupted");
    super(item, el("p", {}, "The server went down while this ran. What it had done is not known; nothing is run again by itself. "), settle);
    this.settle = settle;
    this.app = app;
  }

  update(item) {
    show(this.settle, this.app.run(item.run)?.status === "unknown");
  }
}

const KINDS = {
  user: User, assistant: Assistant, steer: Steer, thought: Thought, tool: Tool, prompt: Prompt, granted: Granted, end: End,
  unknown: Unknown, note: Note,
};
