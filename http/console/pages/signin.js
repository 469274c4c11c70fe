// Showing the key once.

import { call, Refused } from "/console/core/api.js";
import { el, say } from "/console/core/dom.js";

export class SignInPage {
  title = "Sign in";

  constructor(app) {
    this.field = el("input", {
      id: "key", name: "key", type: "password", autocomplete: "current-password", required: true, spellcheck: "false",
      "aria-describedby": "key-help",
    });
    this.problem = el("p", { class: "bad", role: "alert" });
    this.button = el("button", { class: "primary wide" }, "Sign in");
    const signIn = async (event) => {
      event.preventDefault();
      this.button.disabled = true;
      say(this.problem, "");
      try {
        const who = await call("POST", "/v1/console/session", { key: this.field.value });
        this.field.value = "";
        app.dispatch({ type: "signed-in", who });
      } catch (error) {
        say(this.problem, explain(error));
        this.field.select();
      } finally {
        this.button.disabled = false;
      }
    };
    this.notice = el("p", { class: "quiet" });
    this.node = el(
      "main",
      { class: "alone" },
      el("p", { class: "brand" }, el("img", { src: "/console/icon.svg", alt: "", width: "36", height: "36" }), "Placet"),
      el("h1", {}, "Sign in"),
      this.notice,
      el(
        "form",
        { onsubmit: signIn },
        el("input", { type: "text", name: "username", autocomplete: "username", value: "placet", hidden: true }),
        el("label", { for: "key" }, "API key"),
        this.field,
        el("p", { id: "key-help", class: "quiet" }, "The server printed it when it first started, and keeps it in the file ",
          el("code", {}, "api_key"), " of its data directory. This browser gets a cookie for twelve hours, not the key."),
        this.problem,
        this.button,
      ),
    );
  }

  update(state) {
    say(this.notice, state.notice);
  }

  leave() {}
}

function explain(error) {
  if (error instanceof Refused && error.status === 401) return "That is not a key of this server.";
  if (error instanceof Refused && error.retryAfterS) return `${error.message} (${error.retryAfterS} s)`;
  return error.message;
}
