// That somebody waits, for a person who looks elsewhere: in the title, to a screen reader, and as a notification if it was asked for.

import { el, say, show } from "/console/core/dom.js";
import { waiting } from "/console/core/state.js";
import { count, line } from "/console/core/text.js";

const WISH = "placet.notify";

export class Notifier {
  #known = new Set();
  #first = true;

  constructor() {
    this.node = el("div", { class: "visually-hidden", role: "status", "aria-live": "polite" });
    this.button = el("button", { type: "button", class: "small", onclick: () => this.#ask() }, "Notify me");
    this.#offer();
  }

  /** Say something to whoever listens instead of looking. */
  say(text) {
    say(this.node, text);
  }

  /** Tell of prompts that were not there before. */
  update(state, title) {
    const open = waiting(state);
    document.title = `${open.length > 0 ? `(${open.length}) ` : ""}${title} – Placet`;
    if (!state.ready) return;
    const fresh = open.filter((prompt) => !this.#known.has(prompt.request_id));
    this.#known = new Set(open.map((prompt) => prompt.request_id));
    if (fresh.length > 0 && !this.#first) this.#tell(fresh, open.length);
    this.#first = false;
  }

  #tell(fresh, number) {
    const text = line(fresh[0].display ?? fresh[0].question, 120);
    say(this.node, `New: ${text}. ${count(number, "prompt")} waiting.`);
    if (!document.hidden || !this.#wanted()) return;
    for (const prompt of fresh) {
      const note = new Notification("Placet asks", { body: line(prompt.display ?? prompt.question, 120), tag: prompt.request_id });
      note.onclick = () => {
        window.focus();
        location.hash = "#/inbox";
      };
    }
  }

  #wanted() {
    return "Notification" in window && Notification.permission === "granted" && localStorage.getItem(WISH) === "yes";
  }

  async #ask() {
    if ((await Notification.requestPermission()) === "granted") localStorage.setItem(WISH, "yes");
    this.#offer();
  }

  #offer() {
    show(this.button, "Notification" in window && Notification.permission !== "denied" && !this.#wanted());
  }
}
