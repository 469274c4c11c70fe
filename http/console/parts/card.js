// One prompt: what would run and the buttons that decide it. A key or a click counts only for what the person can have seen.

import { call, path, Refused } from "/console/core/api.js";
import { el, say, show } from "/console/core/dom.js";
import { line, visible } from "/console/core/text.js";
import { ago, countdown, now } from "/console/core/time.js";
import { clarify, decide, LABELS, refusal, sentence, WITH_REASON } from "/console/parts/decision.js";
import { command, details, rules, warnings } from "/console/parts/facts.js";
import { Steady } from "/console/parts/steady.js";

const FIRST_SENTENCE = /^(.*?)(?:\.\s+(.*))?$/s;
const EXTEND_S = 600;
const SOON_S = 60;

export class Card {
  #app;
  #prompt;
  #sending = false;
  #steady;
  #shown = null; // how the card says that it ended

  constructor(app, prompt) {
    this.#app = app;
    this.#prompt = prompt;
    const id = `card-${prompt.request_id}`;
    this.heading = el("h2", { id });
    this.waited = el("span", { class: "quiet" });
    this.left = el("span", { class: "left" });
    this.extend = el("button", { type: "button", class: "small", onclick: () => this.#extend() }, "+10 min", key("e"));
    this.status = el("p", { class: "status", role: "status" });
    this.body = el("div", { class: "card-body" });
    this.actions = el("div", { class: "actions" });
    this.checkbox = el("input", { type: "checkbox", onchange: () => app.selected() });
    this.select = el("label", { class: "select" }, this.checkbox, " Select", key("x"));
    this.node = el(
      "article",
      { class: "card", tabindex: "-1", "aria-labelledby": id, "data-id": prompt.request_id },
      el("header", {}, this.heading, el("div", { class: "meta" }, this.waited, this.left, this.extend, this.select)),
      this.body,
      this.actions,
      this.status,
    );
    this.#draw();
    this.#steady = new Steady(this.node, this.actions);
  }

  get prompt() {
    return this.#prompt;
  }

  get open() {
    return this.#prompt.ended === null;
  }

  get chosen() {
    return this.open && this.checkbox.checked;
  }

  /** Something moved it, or the focus came to it by itself: wait before a key or a click counts. */
  disturb() {
    this.#steady.disturb();
  }

  /** Show how the prompt stands by now. */
  update(prompt) {
    const before = this.#prompt;
    this.#prompt = prompt;
    if (before.execution_generation !== prompt.execution_generation || before.digest !== prompt.digest) this.#draw();
    if (prompt.ended !== this.#shown) this.#close();
    this.#enable();
    this.tick();
  }

  /** Let the clocks on it go on. */
  tick() {
    const { created_at: asked, expires_at: until, ended } = this.#prompt;
    say(this.waited, `asked ${ago(asked)}`);
    const left = until === null ? null : until - now();
    say(this.left, ended !== null || left === null ? "" : `${countdown(left)} left`);
    this.left.classList.toggle("soon", left !== null && left < SOON_S);
    show(this.extend, ended === null && left !== null && this.#app.who.may_decide);
  }

  leave() {
    this.#steady.leave();
  }

  /** Carry out what a key stands for; whether it stands for anything here. */
  press(pressed) {
    if (!this.open) return false;
    if (pressed === "x" && !this.select.hidden) this.checkbox.click();
    else if (pressed === "e" && !this.extend.hidden) this.#extend();
    else {
      const choice = this.#choices().find((each) => LABELS[each]?.key === pressed);
      if (choice === undefined) return false;
      this.choose(choice);
    }
    return true;
  }

  /** Take a choice, if it can be meant. */
  choose(choice) {
    if (this.#sending || !this.open || !this.#app.live || !this.#app.may(this.#prompt)) return;
    // Asking for a reason decides nothing yet, and whoever begins to type one must not press other keys with it.
    if (WITH_REASON.has(choice)) this.#askReason(choice);
    else if (this.#isMeant()) this.send(choice, "");
  }

  #isMeant() {
    if (!this.#steady.holds) say(this.status, "This card has only just come to where it is. Look at it, then choose.");
    return this.#steady.holds;
  }

  /** Send an answer and show what became of it. */
  async send(choice, reason) {
    const deciding = this.#app.decide ?? decide;
    await this.#sent(() => deciding(this.#prompt, choice, reason, () => this.#unreachable()));
  }

  async #sent(request) {
    this.#sending = true;
    this.#enable();
    say(this.status, "Sending…");
    try {
      const ended = await request();
      this.#app.dispatch({ type: "decided", requestId: this.#prompt.request_id, ended, at: Date.now() });
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      this.#app.refused(error);
      this.#tell(refusal(error));
      this.status.classList.add("bad");
    } finally {
      this.#sending = false;
      this.#enable();
    }
  }

  #unreachable() {
    this.#tell("No answer from the server yet. It is sent again until there is one; it can count only once.");
  }

  /** Say how it goes, unless the stream has said meanwhile how it ended. */
  #tell(text) {
    if (this.open) say(this.status, text);
  }

  #choices() {
    return this.#prompt.event === "clarify.request" ? [] : this.#prompt.choices;
  }

  /** The parts that stand still while the prompt is open. */
  #draw() {
    const prompt = this.#prompt;
    const question = prompt.event === "clarify.request";
    const [, first, rest] = FIRST_SENTENCE.exec(question ? prompt.question : prompt.description || "May this run?");
    say(this.heading, visible(first));
    this.#steady?.disturb();
    this.body.replaceChildren(
      ...[rest ? el("p", { class: "why" }, visible(rest)) : null].filter(Boolean),
      ...(question ? [] : command(prompt)),
      ...[question ? null : warnings(prompt)].filter(Boolean),
      details({ tool: "", directory: "", ...prompt }),
      ...[question ? null : rules(prompt)].filter(Boolean),
    );
    show(this.select, this.#choices().includes("once") && this.#choices().includes("deny"));
    this.checkbox.setAttribute("aria-label", `Select: ${line(prompt.display ?? prompt.question, 60)}`);
    this.actions.replaceChildren(...(question ? this.#answers() : this.#buttons()));
  }

  #buttons() {
    return this.#choices().map((choice) => {
      const { label = choice, key: pressed, tone } = LABELS[choice] ?? {};
      return el(
        "button",
        { type: "button", class: tone, "data-choice": choice, onclick: () => this.choose(choice) },
        label,
        pressed && key(pressed),
      );
    });
  }

  #answers() {
    const send = (answer) => this.#sent(() => clarify(this.#prompt, answer, () => this.#unreachable()));
    const given = this.#prompt.choices.map((text) =>
      el("button", { type: "button", onclick: () => this.#isMeant() && send(text) }, visible(text)),
    );
    if (given.length > 0) return given;
    const field = el("input", { type: "text", "aria-label": "Your answer", required: true, maxlength: "65536" });
    const submit = (event) => {
      event.preventDefault();
      send(field.value);
    };
    return [el("form", { class: "reason", onsubmit: submit }, field, el("button", { class: "primary" }, "Answer"))];
  }

  #askReason(choice) {
    if (this.actions.querySelector(".reason") !== null) return;
    const field = el("input", { type: "text", "aria-label": "Reason, told to the agent", placeholder: "Reason (optional)", maxlength: "4000" });
    const back = () => {
      form.remove();
      this.actions.querySelector(`[data-choice="${choice}"]`)?.focus();
    };
    const form = el(
      "form",
      {
        class: "reason",
        onsubmit: (event) => {
          event.preventDefault();
          if (!this.#isMeant()) return;
          this.node.focus();
          form.remove();
          this.send(choice, field.value.trim());
        },
        onkeydown: (event) => event.key === "Escape" && back(),
      },
      field,
      el("button", { class: "danger" }, LABELS[choice].label, key("↵")),
      el("button", { type: "button", onclick: back }, "Back"),
    );
    this.actions.append(form);
    field.focus();
  }

  async #extend() {
    try {
      await call("POST", path`/v1/approvals/${this.#prompt.request_id}/extend`, { seconds: EXTEND_S });
    } catch (error) {
      this.#app.refused(error);
      say(this.status, refusal(error));
    }
  }

  #close() {
    this.#shown = this.#prompt.ended;
    this.node.classList.add("ended", this.#prompt.ended.status);
    this.status.classList.remove("bad");
    say(this.status, sentence(this.#prompt.ended));
    this.checkbox.checked = false;
    show(this.select, false);
    show(this.actions, false);
  }

  #enable() {
    const usable = this.open && !this.#sending && this.#app.live && this.#app.may(this.#prompt);
    for (const button of this.node.querySelectorAll(".actions button, header button")) button.disabled = !usable;
  }
}

function key(name) {
  return el("kbd", { "aria-hidden": "true" }, name.toUpperCase());
}
