// The sessions that one may see, the last active first.

import { call } from "/console/core/api.js";
import { el, Keyed, say, show } from "/console/core/dom.js";
import { line } from "/console/core/text.js";
import { ago } from "/console/core/time.js";
import { Fresh } from "/console/parts/fresh.js";

const PAGE = 40;
const TYPING_MS = 250;

export const STATES = {
  idle: "",
  queued: "queued",
  running: "running",
  waiting_for_approval: "waits for you",
  stopping: "stopping",
  unknown: "outcome unknown",
};

export class SessionList {
  #app;
  #entries;
  #fresh;
  #limit = PAGE;
  #typing = null;

  constructor(app) {
    this.#app = app;
    this.search = el("input", {
      type: "search", placeholder: "Search", "aria-label": "Search sessions", oninput: () => this.#later(),
    });
    this.list = el("ul", { class: "session-list" });
    this.note = el("p", { class: "quiet pad", role: "status" });
    this.more = el("button", { type: "button", class: "small", hidden: true, onclick: () => this.#more() }, "Show more");
    this.node = el("div", { class: "session-side" }, this.search, this.note, this.list, this.more);
    this.#entries = new Keyed(this.list, (session) => new Entry(session));
    this.#fresh = new Fresh((counts) => this.#load(counts));
  }

  update(state, current) {
    this.#fresh.update(state.lists);
    for (const entry of this.#entries.all) entry.mark(current);
    this.current = current;
  }

  leave() {
    this.#fresh.leave();
    clearTimeout(this.#typing);
  }

  #later() {
    clearTimeout(this.#typing);
    this.#typing = setTimeout(() => this.#fresh.now(), TYPING_MS);
  }

  #more() {
    this.#limit = Math.min(200, this.#limit + PAGE);
    this.#fresh.now();
  }

  async #load(counts) {
    const query = new URLSearchParams({ limit: String(this.#limit) });
    if (this.search.value.trim()) query.set("q", this.search.value.trim());
    try {
      const found = await call("GET", `/api/sessions?${query}`);
      if (counts()) this.#show(found);
    } catch (error) {
      this.#app.refused(error);
      if (counts()) say(this.note, error.message);
    }
  }

  #show(found) {
    this.#entries.show(found.data.map((session) => [session.id, session]));
    for (const entry of this.#entries.all) entry.mark(this.current);
    show(this.more, found.has_more && this.#limit < 200);
    const none = this.search.value.trim() ? "No session has these words." : "No sessions yet.";
    say(this.note, found.data.length === 0 ? none : "");
  }
}

class Entry {
  #id;

  constructor(session) {
    this.#id = session.id;
    this.name = el("span", { class: "session-name" });
    this.state = el("span", { class: "badge" });
    this.when = el("span", { class: "quiet" });
    this.link = el("a", { href: `#/sessions/${encodeURIComponent(session.id)}` }, this.name, el("span", { class: "session-meta" }, this.state, this.when));
    this.node = el("li", {}, this.link);
  }

  update(session) {
    say(this.name, nameOf(session));
    const state = STATES[session.status] ?? session.status ?? "";
    say(this.state, state);
    this.state.dataset.state = session.status;
    show(this.state, state !== "");
    say(this.when, `${session.user_id} · ${ago(session.last_active)}`);
  }

  mark(current) {
    if (current === this.#id) this.link.setAttribute("aria-current", "true");
    else this.link.removeAttribute("aria-current");
  }
}

/** What people call a session: its title, else how it began, else its id. */
export function nameOf(session) {
  return line(session.title || session.preview || session.id, 80);
}
