// What was allowed once and for all, how often that was used, and how to end it.

import { call, path } from "/console/core/api.js";
import { el, Keyed, say, show } from "/console/core/dom.js";
import { line, visible } from "/console/core/text.js";
import { ago, moment } from "/console/core/time.js";
import { confirm } from "/console/parts/dialog.js";
import { Fresh } from "/console/parts/fresh.js";

const MOST = 200;

export class RulesPage {
  title = "Rules";
  #app;
  #rows;
  #fresh;

  constructor(app) {
    this.#app = app;
    this.heading = el("h1", { tabindex: "-1" }, "Rules");
    this.status = el("p", { class: "status", role: "status" });
    this.list = el("ul", { class: "records" });
    this.empty = el("div", { class: "empty", hidden: true }, el("p", { class: "empty-title" }, "No rules"),
      el("p", { class: "quiet" }, "Answering “for this session” or “always” makes one: exactly that command in exactly that directory."));
    this.node = el("div", { class: "page" }, el("header", { class: "page-head" }, el("div", {}, this.heading, el("p", { class: "quiet" }, "What runs without asking, because somebody said so"))), this.status, this.list, this.empty);
    this.#rows = new Keyed(this.list, (rule) => new Row(rule, (which) => this.#revoke(which)));
    this.#fresh = new Fresh((counts) => this.#load(counts));
  }

  update(state) {
    this.#fresh.update(state.lists);
  }

  leave() {
    this.#fresh.leave();
  }

  async #load(counts) {
    try {
      const { data, has_more: more } = await call("GET", `/v1/approvals/rules?limit=${MOST}`);
      if (!counts()) return;
      this.#rows.show(data.map((rule) => [rule.id, rule]));
      show(this.empty, data.length === 0);
      say(this.status, more ? `The oldest ${MOST} are shown.` : "");
    } catch (error) {
      this.#app.refused(error);
      if (counts()) say(this.status, error.message);
    }
  }

  async #revoke(rule) {
    const sure = await confirm({
      title: "Revoke this rule?",
      body: [el("pre", { class: "command" }, visible(rule.text)), el("p", {}, "From now on it is asked again.")],
      yes: "Revoke",
      danger: true,
    });
    if (!sure) return;
    try {
      await call("DELETE", path`/v1/approvals/rules/${rule.id}`);
    } catch (error) {
      this.#app.refused(error);
      say(this.status, error.message);
    }
    this.#fresh.now();
  }
}

class Row {
  constructor(rule, revoke) {
    this.used = el("span", {});
    const session = el("a", { href: `#/sessions/${encodeURIComponent(rule.session_id)}` }, line(rule.session_id, 30));
    this.node = el(
      "li",
      { class: "record" },
      el("pre", { class: "command" }, visible(rule.text)),
      el(
        "p",
        { class: "quiet facts" },
        el("span", {}, rule.scope === "always" ? "always" : "in the session ", rule.scope === "always" ? null : session),
        el("span", {}, `for ${rule.principal}`),
        el("span", { title: moment(rule.created_at) }, `since ${ago(rule.created_at)}, by ${rule.created_by}`),
        this.used,
      ),
      el("button", { type: "button", class: "small danger", onclick: () => revoke(rule), "aria-label": `Revoke: ${line(rule.text, 60)}` }, "Revoke"),
    );
  }

  update(rule) {
    say(this.used, rule.uses === 0 ? "never used" : `used ${rule.uses}×, last ${ago(rule.last_used_at)}`);
  }
}
