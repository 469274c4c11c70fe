// Every open prompt over all sessions, the oldest first.

import { el, Keyed, say, show } from "/console/core/dom.js";
import { waiting } from "/console/core/state.js";
import { count } from "/console/core/text.js";
import { Batch } from "/console/parts/batch.js";
import { Card } from "/console/parts/card.js";
import { STEADY_MS } from "/console/parts/steady.js";

const ENDED_STAYS_MS = 8000;
const KEYS = [["J K", "move"], ["O", "once"], ["S", "session"], ["A", "always"], ["D", "deny"], ["E", "extend"], ["X", "select"]];

function summary(number) {
  return number === 0 ? "" : `${count(number, "prompt")} waiting${number > 1 ? ", the oldest first" : ""}`;
}

export class InboxPage {
  title = "Inbox";
  #app;
  #cards;
  #timer;
  #pressedAt = -Infinity;
  #tops = new Map();
  #resized = new ResizeObserver(() => this.#settle());

  constructor(app) {
    this.#app = Object.assign(Object.create(app), { selected: () => this.batch.update(), live: true });
    this.heading = el("h1", { tabindex: "-1" }, "Inbox");
    this.summary = el("p", { class: "quiet" });
    this.list = el("div", { class: "cards" });
    this.empty = el(
      "div",
      { class: "empty", hidden: true },
      el("p", { class: "empty-title" }, "Nothing waits for you"),
      el("p", { class: "quiet" }, "When an agent wants to do something dangerous, it stops and asks here."),
    );
    this.#cards = new Keyed(this.list, (prompt) => new Card(this.#app, prompt));
    this.batch = new Batch(() => this.#cards.all);
    const legend = KEYS.map(([keys, what]) => el("span", {}, el("kbd", {}, keys), ` ${what}`));
    this.node = el(
      "div",
      { class: "page inbox" },
      el("header", { class: "page-head" }, el("div", {}, this.heading, this.summary), app.notifier.button),
      this.list,
      this.empty,
      el("p", { class: "legend quiet" }, legend),
      this.batch.node,
    );
    document.addEventListener("keydown", this.#press);
    this.#timer = setInterval(this.#tick, 1000);
    this.#resized.observe(this.list);
  }

  update(state) {
    this.#app.live = state.connection.name === "live";
    const open = waiting(state);
    const held = this.#current();
    this.#cards.show(Object.entries(state.prompts));
    this.#settle();
    if (held !== null && !this.list.contains(document.activeElement)) this.#refocus(held);
    this.batch.update();
    show(this.empty, state.ready && this.#cards.all.length === 0);
    say(this.summary, state.ready ? summary(open.length) : "Reading…");
  }

  leave() {
    document.removeEventListener("keydown", this.#press);
    clearInterval(this.#timer);
    this.#resized.disconnect();
    for (const card of this.#cards.all) card.leave();
  }

  /** What has moved is not where the person saw it. */
  #settle() {
    const tops = new Map(this.#cards.all.map((card) => [card, card.node.offsetTop]));
    for (const [card, top] of tops) if (this.#tops.get(card) !== top) card.disturb();
    this.#tops = tops;
  }

  /** The place of the card that has the focus; `null` if none has. */
  #current() {
    const place = this.#cards.all.findIndex((card) => card.node.contains(document.activeElement));
    return place < 0 ? null : place;
  }

  /** The card that had the focus is gone: the next one gets it, but no key counts before the person can have seen that. */
  #refocus(place) {
    const card = this.#cards.all[Math.min(place, this.#cards.all.length - 1)];
    card?.disturb();
    (card?.node ?? this.heading).focus();
  }

  #tick = () => {
    const focused = this.#current();
    this.#cards.all.forEach((card, place) => {
      card.tick();
      const { ended, request_id: requestId } = card.prompt;
      const looked = place === focused || card.node.matches(":hover");
      if (ended !== null && Date.now() - ended.at > ENDED_STAYS_MS * (looked ? 3 : 1)) this.#app.dispatch({ type: "forget", requestId });
    });
  };

  #press = (event) => {
    const typing = event.target.matches?.("input:not([type=checkbox]), textarea, select, dialog *");
    if (typing || event.repeat || event.ctrlKey || event.metaKey || event.altKey) return;
    const pressed = event.key.toLowerCase();
    const step = { j: 1, k: -1 }[pressed];
    const place = this.#current();
    if (step === undefined && this.#isTyped(event)) return;
    if (step !== undefined) this.#move(place === null ? (step > 0 ? 0 : this.#cards.all.length - 1) : place + step);
    else if (place === null || !this.#cards.all[place].press(pressed)) return;
    event.preventDefault();
  };

  /** Keys that come as fast as letters are letters: somebody types, and thinks that it goes elsewhere. */
  #isTyped(event) {
    const hasty = event.timeStamp - this.#pressedAt < STEADY_MS;
    if (event.key.length === 1) this.#pressedAt = event.timeStamp;
    return hasty && event.key.length === 1;
  }

  #move(place) {
    const card = this.#cards.all[Math.max(0, Math.min(place, this.#cards.all.length - 1))];
    card?.node.focus();
    card?.node.scrollIntoView({ block: "nearest" });
  }
}
