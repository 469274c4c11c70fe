// Every decision that was ever made, the newest first, and whether their chain holds.

import { call } from "/console/core/api.js";
import { el, Keyed, say, show } from "/console/core/dom.js";
import { line } from "/console/core/text.js";
import { moment } from "/console/core/time.js";
import { Fresh } from "/console/parts/fresh.js";

const PAGE = 50;
const TYPING_MS = 250;
const STATUSES = ["approved", "denied", "expired", "cancelled", "answered"];

export class AuditPage {
  title = "Audit";
  #app;
  #rows;
  #fresh;
  #limit = PAGE;
  #typing = null;

  constructor(app) {
    this.#app = app;
    this.heading = el("h1", { tabindex: "-1" }, "Audit");
    this.chain = el("p", { class: "chain", role: "status" });
    const options = STATUSES.map((status) => el("option", { value: status }, status));
    this.how = el("select", { "aria-label": "How it ended", onchange: () => this.#fresh.now() }, el("option", { value: "" }, "any outcome"), options);
    this.words = el("input", { type: "search", placeholder: "Command, person, session", "aria-label": "Search the audit", oninput: () => this.#later() });
    this.status = el("p", { class: "status", role: "status" });
    this.list = el("ol", { class: "records" });
    this.more = el("button", { type: "button", class: "small", hidden: true, onclick: () => this.#more() }, "Show more");
    this.node = el("div", { class: "page" }, el("header", { class: "page-head" }, el("div", {}, this.heading, this.chain)), el("div", { class: "row filters" }, this.words, this.how), this.status, this.list, this.more);
    this.#rows = new Keyed(this.list, (link) => new Row(link));
    this.#fresh = new Fresh((counts) => this.#load(counts));
  }

  update(state) {
    this.#fresh.update(state.lists);
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
    const query = new URLSearchParams({ order: "latest", limit: String(this.#limit) });
    if (this.how.value) query.set("status", this.how.value);
    if (this.words.value.trim()) query.set("q", this.words.value.trim());
    try {
      const found = await call("GET", `/v1/audit?${query}`);
      if (counts()) this.#show(found);
    } catch (error) {
      this.#app.refused(error);
      if (counts()) say(this.status, error.message);
    }
  }

  #show({ data, chain, has_more: more }) {
    this.#rows.show(data.map((link) => [String(link.number), link]));
    show(this.more, more && this.#limit < 200);
    say(this.status, data.length === 0 ? "No decision fits." : "");
    this.chain.dataset.state = chain.verified ? "good" : "bad";
    const broken = chain.broken_at;
    say(this.chain, chain.verified ? "The chain is whole" : `The chain is broken at decision ${broken.number}: ${broken.why}`);
  }
}

class Row {
  constructor(link) {
    const by = link.by === "placet" ? "nobody" : link.by.replace(/^rule:/, "rule ");
    this.node = el(
      "li",
      { class: "record" },
      el("p", { class: "record-head" }, el("span", { class: "badge", "data-state": link.status }, link.choice ?? link.status), el("strong", {}, by), el("time", { class: "quiet" }, moment(link.at))),
      el("pre", { class: "command" }, line(link.command, 2000)),
      el(
        "p",
        { class: "quiet facts" },
        el("span", {}, `no. ${link.number}`),
        el("span", {}, link.tool),
        el("a", { href: `#/sessions/${encodeURIComponent(link.session_id)}` }, line(link.session_id, 40)),
        el("span", {}, link.origin),
        link.reason ? el("span", {}, `“${line(link.reason, 300)}”`) : null,
      ),
    );
  }

  update() {}
}
