// A question of the page itself, before it does what cannot be undone.

import { el } from "/console/core/dom.js";

/** Ask; resolves to whether the person said yes. Escape is no. */
export function confirm({ title, body = [], yes, danger = false }) {
  return new Promise((resolve) => {
    const id = `dialog-${Math.random().toString(36).slice(2)}`;
    const dialog = el(
      "dialog",
      { "aria-labelledby": id, onclose: () => finish(dialog.returnValue === "yes") },
      el("h2", { id }, title),
      ...body,
      el(
        "div",
        { class: "row end" },
        el("button", { type: "button", onclick: () => dialog.close("no") }, "Cancel"),
        el("button", { type: "button", class: danger ? "danger" : "primary", onclick: () => dialog.close("yes") }, yes),
      ),
    );
    const finish = (answer) => {
      dialog.remove();
      resolve(answer);
    };
    document.body.append(dialog);
    dialog.showModal();
  });
}
