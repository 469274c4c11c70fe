// Sessions: the list beside the one that is looked at.

import { call } from "/console/core/api.js";
import { el, say } from "/console/core/dom.js";
import { newSessionId } from "/console/core/outbox.js";
import { SessionList } from "/console/parts/session_list.js";
import { SessionView } from "/console/parts/session_view.js";

export class SessionsPage {
  title = "Sessions";
  #app;
  #view = null;

  constructor(app) {
    this.#app = app;
    this.list = new SessionList(app);
    this.heading = el("h1", { tabindex: "-1" }, "Sessions");
    this.status = el("p", { class: "status", role: "status" });
    const make = el("button", { type: "button", class: "primary small", onclick: () => this.#make() }, "New session");
    this.side = el("div", { class: "pane" }, el("header", { class: "page-head" }, this.heading, make), this.status, this.list.node);
    this.detail = el("div", { class: "detail" });
    this.nothing = el("div", { class: "empty" }, el("p", { class: "quiet" }, "Choose a session to follow it live."));
    this.node = el("div", { class: "page sessions" }, this.side, this.detail);
  }

  update(state, item) {
    if ((this.#view?.id ?? null) !== item) this.#turnTo(item);
    this.node.dataset.detail = item === null ? "no" : "yes";
    this.list.update(state, item);
    this.#view?.update(state);
  }

  leave() {
    this.list.leave();
    this.#view?.leave();
    this.#app.watch(null);
  }

  #turnTo(id) {
    this.#view?.leave();
    this.#view = id === null ? null : new SessionView(this.#app, id);
    this.detail.replaceChildren(this.#view?.node ?? this.nothing);
    // The page is in the middle of showing a state: what this changes comes with the next one.
    queueMicrotask(() => this.#app.watch(id));
    if (id !== null) this.#view.heading.focus({ preventScroll: true });
  }

  async #make() {
    const id = newSessionId();
    try {
      await call("POST", "/api/sessions", { id });
      location.hash = `#/sessions/${id}`;
    } catch (error) {
      this.#app.refused(error);
      say(this.status, error.message);
    }
  }
}
