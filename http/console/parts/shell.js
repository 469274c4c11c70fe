// What stands around every page: where one can go, how the connection is, who is signed in.

import { el, say, show } from "/console/core/dom.js";
import { waiting } from "/console/core/state.js";
import { moment, now } from "/console/core/time.js";

const PLACES = [["inbox", "Inbox"], ["sessions", "Sessions"], ["rules", "Rules"], ["audit", "Audit"], ["server", "Server"]];
const STATES = { live: "Live", connecting: "Connecting…", offline: "No connection" };

export class Shell {
  #state = null;
  #lastLive = null;

  constructor(app) {
    this.count = el("span", { class: "count", hidden: true });
    this.links = new Map(
      PLACES.map(([name, label]) => [name, el("a", { href: `#/${name}` }, label, name === "inbox" ? [" ", this.count] : null)]),
    );
    this.connection = el("p", { class: "connection", role: "status" }, el("span", { class: "dot", "aria-hidden": "true" }), el("span"));
    this.who = el("p", { class: "who quiet" });
    this.out = el("button", { type: "button", class: "small", onclick: () => app.signOut() }, "Sign out");
    this.bannerText = el("span");
    this.banner = el("div", { class: "banner", role: "status", hidden: true }, this.bannerText,
      el("button", { type: "button", class: "small", onclick: () => app.retryNow() }, "Try now"));
    this.main = el("main", { id: "main" });
    this.node = el(
      "div",
      { class: "shell" },
      el("a", { class: "skip", href: "#main", onclick: (event) => (event.preventDefault(), this.main.querySelector("h1")?.focus()) }, "Skip to content"),
      el("header", { class: "side" },
        el("p", { class: "brand" }, el("img", { src: "/console/icon.svg", alt: "", width: "28", height: "28" }), el("span", {}, "Placet")),
        el("nav", { "aria-label": "Console" }, [...this.links.values()]),
        el("div", { class: "foot" }, this.connection, this.who, this.out)),
      el("div", { class: "middle" }, this.banner, this.main),
      app.notifier.node,
    );
    this.timer = setInterval(() => this.#tick(), 500);
  }

  update(state, place) {
    this.#state = state;
    const open = waiting(state).length;
    say(this.count, String(open));
    show(this.count, open > 0);
    this.links.get("inbox").setAttribute("aria-label", open > 0 ? `Inbox, ${open} waiting` : "Inbox");
    for (const [name, link] of this.links) {
      if (name === place) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    this.connection.dataset.state = state.connection.name;
    say(this.connection.lastChild, STATES[state.connection.name]);
    say(this.who, `${state.who.principal}, ${state.who.role}`);
    show(this.out, state.who.sign_in_required);
    this.#tick();
  }

  leave() {
    clearInterval(this.timer);
  }

  #tick() {
    if (this.#state === null) return;
    const { name, retryAt } = this.#state.connection;
    if (name === "live") this.#lastLive = now();
    const lost = name !== "live" && this.#lastLive !== null && now() - this.#lastLive > 1;
    show(this.banner, lost);
    if (!lost) return;
    const again = retryAt === null ? "Connecting…" : `Trying again in ${Math.max(0, Math.ceil((retryAt - Date.now()) / 1000))} s.`;
    say(this.bannerText, `No connection. What you see is as of ${moment(this.#lastLive)}. ${again}`);
  }
}
