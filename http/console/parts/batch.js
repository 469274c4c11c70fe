// Several prompts at once: only those that were selected one by one, and only after they were shown together once more.

import { el, say, show } from "/console/core/dom.js";
import { count } from "/console/core/text.js";
import { confirm } from "/console/parts/dialog.js";

export class Batch {
  #cards;

  /** @param cards gives the cards that are shown. */
  constructor(cards) {
    this.#cards = cards;
    this.label = el("strong");
    this.node = el(
      "div",
      { class: "batch", role: "group", "aria-label": "Selected prompts", hidden: true },
      this.label,
      el("button", { type: "button", class: "primary", onclick: () => this.#all("once") }, "Approve once"),
      el("button", { type: "button", class: "danger", onclick: () => this.#all("deny") }, "Deny"),
      el("button", { type: "button", onclick: () => this.#clear() }, "Clear"),
    );
  }

  /** Show how many are selected. */
  update() {
    const chosen = this.#chosen();
    say(this.label, `${count(chosen.length, "prompt")} selected`);
    show(this.node, chosen.length > 0);
  }

  #chosen() {
    return this.#cards().filter((card) => card.chosen);
  }

  #clear() {
    for (const card of this.#chosen()) card.checkbox.checked = false;
    this.update();
  }

  async #all(choice) {
    const chosen = this.#chosen();
    const shown = chosen.map((card) => el("li", {}, el("pre", { class: "command" }, card.prompt.display)));
    const what = choice === "once" ? "Approve" : "Deny";
    const sure = await confirm({
      title: `${what} ${count(chosen.length, "prompt")}?`,
      body: [el("ul", { class: "chosen" }, shown)],
      yes: choice === "once" ? "Approve each once" : "Deny each",
      danger: choice === "deny",
    });
    // One that was answered elsewhere while this was open is left out; one that came meanwhile was never selected.
    if (sure) await Promise.all(chosen.filter((card) => card.open).map((card) => card.send(choice, "")));
    this.update();
  }
}
