// One session as it happens: what was said, what ran, what was asked, and what one can do about it.

import { call, path } from "/console/core/api.js";
import { el, Keyed, say, show } from "/console/core/dom.js";
import { newSessionId } from "/console/core/outbox.js";
import { running } from "/console/core/transcript.js";
import { line } from "/console/core/text.js";
import { Composer } from "/console/parts/composer.js";
import { confirm } from "/console/parts/dialog.js";
import { entry } from "/console/parts/entries.js";
import { prose } from "/console/parts/prose.js";
import { Queue } from "/console/parts/queue.js";
import { nameOf } from "/console/parts/session_list.js";

const AT_END_PX = 80;

export class SessionView {
  #app;
  #items;
  #run = null;
  #timer;
  #record = null;

  constructor(app, id) {
    this.id = id;
    this.#app = Object.assign(Object.create(app), {
      live: false,
      selected: () => {},
      settle: (run) => this.#settle(run),
      run: (runId) => app.state.session?.runs[runId],
    });
    this.heading = el("h2", { tabindex: "-1" }, line(id, 60));
    this.meta = el("p", { class: "quiet" });
    const button = (label, act, kind = "") => el("button", { type: "button", class: `small ${kind}`, onclick: act }, label);
    this.stop = button("Stop", () => this.#do(() => call("POST", path`/v1/runs/${this.#run.id}/stop`, {})), "danger");
    this.tools = el("div", { class: "row" }, this.stop, button("Fork", () => this.#fork()), button("Delete", () => this.#delete()));
    this.status = el("p", { class: "status", role: "status" });
    this.before = el("div", { class: "inherited" });
    this.list = el("ol", { class: "transcript", "aria-label": "Transcript" });
    this.scroller = el("div", { class: "scroller", tabindex: "0", "aria-label": "Transcript, scrolls" , role: "region" }, this.before, this.list);
    this.queue = new Queue(this.#app, id);
    this.composer = new Composer(this.#app, id);
    this.node = el(
      "section",
      { class: "session", "aria-label": "Session" },
      el("header", { class: "session-head" }, el("a", { class: "back", href: "#/sessions" }, "All sessions"), el("div", { class: "session-title" }, this.heading, this.meta), this.tools),
      this.status,
      this.scroller,
      this.queue.node,
      this.composer.node,
    );
    this.#items = new Keyed(this.list, (item) => entry(item, this.#app));
    this.#timer = setInterval(() => this.#items.all.forEach((item) => item.tick?.()), 1000);
    this.#read();
  }

  update(state) {
    const session = state.session;
    if (session === null || session.id !== this.id) return;
    this.#app.live = state.connection.name === "live";
    const atEnd = this.scroller.scrollHeight - this.scroller.scrollTop - this.scroller.clientHeight < AT_END_PX;
    this.#items.show(session.items.map((item) => [item.key, item]));
    if (atEnd) this.#scrollToEnd();
    this.#run = running(session);
    this.composer.update(this.#run, this.#app.live && !this.#gone(session));
    this.queue.update(state.lists);
    show(this.stop, this.#run !== null && this.#run.status !== "unknown");
    if (session.title) say(this.heading, line(session.title, 80));
    if (this.#gone(session)) say(this.status, "This session is not there, or you may not see it.");
    show(this.tools, !this.#gone(session));
  }

  leave() {
    this.queue.leave();
    clearInterval(this.#timer);
    for (const item of this.#items.all) item.leave?.();
  }

  /** Whoever reads the end goes on reading it. A card that is moved by that must be seen again before it can be clicked. */
  #scrollToEnd() {
    const before = this.scroller.scrollTop;
    this.scroller.scrollTop = this.scroller.scrollHeight;
    if (this.scroller.scrollTop !== before) for (const item of this.#items.all) item.disturb?.();
  }

  #gone(session) {
    return session.missing || session.deleted;
  }

  /** What the log does not tell: whose it is, and what was said before it was forked. */
  async #read() {
    try {
      const { session } = await call("GET", path`/api/sessions/${this.id}`);
      this.#record = session;
      say(this.heading, nameOf(session));
      const parent = session.parent_session_id;
      this.meta.replaceChildren(`${session.user_id} · ${session.id}`, ...(parent ? [" · forked from ", el("a", { href: `#/sessions/${encodeURIComponent(parent)}` }, line(parent, 30))] : []));
      if (parent) await this.#readInherited();
    } catch (error) {
      this.#app.refused(error);
    }
  }

  async #readInherited() {
    const { data } = await call("GET", `${path`/api/sessions/${this.id}/messages`}?order=oldest&limit=500`);
    const inherited = data.filter((message) => message.admission_id === null && typeof message.content === "string" && message.content);
    this.before.replaceChildren(
      ...inherited.map((message) => el("div", { class: `item ${message.role}` }, el("p", { class: "speaker" }, `${message.role}, before the fork`), el("div", { class: "bubble" }, prose(message.content)))),
    );
  }

  async #do(request) {
    say(this.status, "");
    try {
      return await request();
    } catch (error) {
      this.#app.refused(error);
      say(this.status, error.message);
      return null;
    }
  }

  #settle(runId) {
    const run = this.#app.state.session.runs[runId];
    const body = { admission_id: run.admission_id, execution_generation: run.generation };
    return this.#do(() => call("POST", path`/v1/runs/${runId}/resolve-unknown`, body));
  }

  async #fork() {
    const id = newSessionId();
    const made = await this.#do(() => call("POST", path`/api/sessions/${this.id}/fork`, { id }));
    if (made !== null) location.hash = `#/sessions/${id}`;
  }

  async #delete() {
    const name = this.#record === null ? this.id : nameOf(this.#record);
    const sure = await confirm({
      title: "Delete this session?",
      body: [el("p", {}, `“${name}” and what was said in it will be gone. Decisions stay in the audit.`)],
      yes: "Delete",
      danger: true,
    });
    if (!sure) return;
    const gone = await this.#do(() => call("DELETE", path`/api/sessions/${this.id}`));
    if (gone !== null) location.hash = "#/sessions";
  }
}
