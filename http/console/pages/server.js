// How the server is: what it works on, whether the disk keeps up, what goes wrong.

import { call } from "/console/core/api.js";
import { el, Keyed, say } from "/console/core/dom.js";
import { line } from "/console/core/text.js";
import { ago, duration } from "/console/core/time.js";

const EVERY_MS = 3000;

export class ServerPage {
  title = "Server";
  #app;
  #figures;
  #actors;
  #failures;
  #timer;
  #left = false;

  constructor(app) {
    this.#app = app;
    this.heading = el("h1", { tabindex: "-1" }, "Server");
    this.summary = el("p", { class: "chain", role: "status" });
    this.status = el("p", { class: "status", role: "status" });
    this.figures = el("dl", { class: "figures" });
    this.actors = el("tbody");
    this.failures = el("ul", { class: "records" });
    const head = ["Session", "State", "Inbox", "Age", "Idle"].map((text) => el("th", { scope: "col" }, text));
    this.node = el(
      "div",
      { class: "page" },
      el("header", { class: "page-head" }, el("div", {}, this.heading, this.summary)),
      this.status,
      this.figures,
      el("h2", {}, "Actors"),
      el("div", { class: "scrolls", tabindex: "0", role: "region", "aria-label": "Actors" }, el("table", {}, el("thead", {}, el("tr", {}, head)), this.actors)),
      el("h2", {}, "What failed lately"),
      this.failures,
    );
    this.#figures = new Keyed(this.figures, ([name]) => new Figure(name));
    this.#actors = new Keyed(this.actors, (actor) => new Actor(actor));
    this.#failures = new Keyed(this.failures, (run) => new Failure(run));
    this.#load();
  }

  update() {}

  leave() {
    this.#left = true;
    clearTimeout(this.#timer);
  }

  async #load() {
    try {
      const [health, failed] = await Promise.all([call("GET", "/v1/console/server"), call("GET", "/v1/runs?status=failed&limit=10")]);
      if (!this.#left) this.#show(health, failed.data);
    } catch (error) {
      this.#app.refused(error);
      say(this.status, error.message);
    }
    if (!this.#left) this.#timer = setTimeout(() => this.#load(), EVERY_MS);
  }

  #show(health, failed) {
    say(this.status, "");
    this.summary.dataset.state = health.status === "ok" ? "good" : "bad";
    say(this.summary, `${health.status === "ok" ? "Takes work" : `Takes no work${health.store.error ? `: ${health.store.error}` : ""}`} · version ${health.version}`);
    this.#figures.show(figures(health).map((figure) => [figure[0], figure]));
    this.#actors.show(health.actors.running.map((actor) => [actor.session_id, actor]));
    this.#failures.show(failed.map((run) => [run.run_id, run]));
    if (failed.length === 0) this.failures.replaceChildren(el("li", { class: "quiet" }, "Nothing."));
  }
}

function figures({ turns, approvals, actors, store, loop_lag_s: lag }) {
  const ms = (seconds) => (seconds === null || seconds === undefined ? "–" : `${(seconds * 1000).toFixed(1)} ms`);
  return [
    ["Turns", `${turns.running} of ${turns.limit}`],
    ["Open prompts", String(approvals.open)],
    ["Actors", String(actors.running.length)],
    ["Streams on sessions", String(actors.streams)],
    ["Commit", ms(store.commit_s)],
    ["Writes waiting", String(store.waiting)],
    ["Log on disk", `${(store.log_bytes / 1e6).toFixed(1)} MB`],
    ["Loop lag, p99", ms(lag.p99)],
    ["Actor crashes", String(actors.counts.crashes)],
  ];
}

class Figure {
  constructor(name) {
    this.value = el("dd");
    this.node = el("div", {}, el("dt", {}, name), this.value);
  }

  update([, value]) {
    say(this.value, value);
  }
}

class Actor {
  constructor(actor) {
    this.cells = Array.from({ length: 4 }, () => el("td"));
    const name = el("th", { scope: "row" }, el("a", { href: `#/sessions/${encodeURIComponent(actor.session_id)}` }, line(actor.session_id, 40)));
    this.node = el("tr", {}, name, ...this.cells);
  }

  update(actor) {
    const texts = [actor.state, String(actor.inbox_depth), duration(actor.age_s), duration(actor.idle_s)];
    texts.forEach((text, place) => say(this.cells[place], text));
  }
}

class Failure {
  constructor(run) {
    const { message = "It gave no reason.", code } = run.error ?? {};
    this.node = el(
      "li",
      { class: "record" },
      el("p", { class: "record-head" }, el("span", { class: "badge", "data-state": "failed" }, code ?? "failed"), el("time", { class: "quiet" }, ago(run.updated_at))),
      el("p", {}, line(message, 300)),
      el("p", { class: "quiet facts" }, el("a", { href: `#/sessions/${encodeURIComponent(run.session_id)}` }, line(run.session_id, 40)), run.model ? el("span", {}, run.model) : null),
    );
  }

  update() {}
}
