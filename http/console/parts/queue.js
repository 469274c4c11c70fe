// What waits in a session behind the running turn.

import { call, path } from "/console/core/api.js";
import { el, Keyed, say, show } from "/console/core/dom.js";
import { count, line } from "/console/core/text.js";
import { Fresh } from "/console/parts/fresh.js";

export class Queue {
  #app;
  #session;
  #items;
  #fresh;

  constructor(app, session) {
    this.#app = app;
    this.#session = session;
    this.label = el("summary", {});
    this.list = el("ul", {});
    this.status = el("p", { class: "status", role: "status" });
    this.node = el("details", { class: "queue", hidden: true }, this.label, this.list, this.status);
    this.#items = new Keyed(this.list, (item) => new Waiting(item, (id) => this.#cancel(id)));
    this.#fresh = new Fresh((counts) => this.#load(counts));
  }

  update(version) {
    this.#fresh.update(version);
  }

  leave() {
    this.#fresh.leave();
  }

  async #load(counts) {
    try {
      const { data } = await call("GET", path`/api/sessions/${this.#session}/queue`);
      if (!counts()) return;
      const waiting = data.filter((item) => item.status === "queued");
      this.#items.show(waiting.map((item) => [item.admission_id, item]));
      say(this.label, `${count(waiting.length, "message")} waiting`);
      show(this.node, waiting.length > 0);
    } catch (error) {
      this.#app.refused(error);
    }
  }

  async #cancel(id) {
    try {
      await call("DELETE", path`/api/sessions/${this.#session}/queue/${id}`);
    } catch (error) {
      this.#app.refused(error);
      say(this.status, error.message);
    }
    this.#fresh.now();
  }
}

class Waiting {
  constructor(item, cancel) {
    this.text = el("span", {});
    this.node = el("li", {}, this.text, el("button", { type: "button", class: "small", onclick: () => cancel(item.admission_id) }, "Cancel"));
  }

  update(item) {
    say(this.text, line(item.input, 100));
  }
}
