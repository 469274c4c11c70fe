// Saying something in a session: as its next input, or to the turn that runs.

import { call, path, Refused } from "/console/core/api.js";
import { el, say, show } from "/console/core/dom.js";
import { send } from "/console/core/outbox.js";

export class Composer {
  #app;
  #session;
  #run = null;

  constructor(app, session) {
    this.#app = app;
    this.#session = session;
    this.field = el("textarea", { rows: "2", "aria-label": "Message", placeholder: "Message", maxlength: "1000000", onkeydown: (event) => this.#key(event) });
    this.sendButton = el("button", { class: "primary" }, "Send");
    this.steerButton = el("button", { type: "button", hidden: true, onclick: () => this.#steer() }, "Tell the running turn");
    this.status = el("p", { class: "status", role: "status" });
    const submit = (event) => {
      event.preventDefault();
      this.#send();
    };
    this.node = el("form", { class: "composer", onsubmit: submit }, this.field, el("div", { class: "row" }, this.status, this.steerButton, this.sendButton));
  }

  /** Show what can be done now. */
  update(run, live) {
    this.#run = run;
    show(this.steerButton, run?.status === "running");
    say(this.sendButton, run === null ? "Send" : "Queue");
    this.sendButton.disabled = !live;
    this.steerButton.disabled = !live;
  }

  #key(event) {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    if (!this.sendButton.disabled) this.#send();
  }

  #send() {
    const waiting = () => say(this.status, "No answer from the server yet. It is sent again, and counts once.");
    return this.#deliver((text) => send(this.#session, text, waiting));
  }

  #steer() {
    return this.#deliver((text) => call("POST", path`/v1/runs/${this.#run.id}/steer`, { input: text }));
  }

  /** The field is emptied when the words are on their way, and gets them back if they were not taken. */
  async #deliver(request) {
    const text = this.field.value;
    if (text.trim() === "") return;
    this.field.value = "";
    say(this.status, "Sending…");
    try {
      await request(text);
      say(this.status, "");
    } catch (error) {
      this.#app.refused(error);
      this.field.value ||= text;
      say(this.status, error instanceof Refused ? error.message : `${error.message} Your words are kept.`);
    }
  }
}
