// The page: who is there, which part of it is shown, and the one connection that keeps it true.

import { call, Refused, Unreachable, pause } from "/console/core/api.js";
import { el } from "/console/core/dom.js";
import { Live } from "/console/core/live.js";
import { resend } from "/console/core/outbox.js";
import { Store } from "/console/core/store.js";
import { setServerTime } from "/console/core/time.js";
import { Notifier } from "/console/parts/notify.js";
import { Shell } from "/console/parts/shell.js";
import { AuditPage } from "/console/pages/audit.js";
import { InboxPage } from "/console/pages/inbox.js";
import { RulesPage } from "/console/pages/rules.js";
import { ServerPage } from "/console/pages/server.js";
import { SessionsPage } from "/console/pages/sessions.js";
import { SignInPage } from "/console/pages/signin.js";

const PAGES = { inbox: InboxPage, sessions: SessionsPage, rules: RulesPage, audit: AuditPage, server: ServerPage };

const store = new Store();
const notifier = new Notifier();
let live = null;
let shell = null;
let page = null;
let ending = null;
let shown = { who: undefined, place: null };

const app = {
  notifier,
  dispatch: store.dispatch,
  get who() {
    return store.state.who;
  },
  get state() {
    return store.state;
  },
  /** Whether who sits here may answer this prompt. */
  may: (prompt) => prompt.event === "clarify.request" || (app.who.may_decide && (app.who.decides_own || prompt.requested_by !== app.who.principal)),
  /** What any part does with an error that ends the sign-in. */
  refused: (error) => {
    if (error instanceof Refused && error.status === 401) store.dispatch({ type: "signed-out", message: error.message });
    else if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
  },
  /** Look at a session, or at none. */
  watch: (id) => {
    if ((store.state.session?.id ?? null) === id) return;
    store.dispatch({ type: "watch", id });
    live?.reopen();
  },
  retryNow: () => live?.retryNow(),
  signOut: async () => {
    await call("DELETE", "/v1/console/session").catch(app.refused);
    store.dispatch({ type: "signed-out" });
  },
};

/** `#/sessions/abc` is the place `sessions` and what is looked at there. */
function place() {
  const [, name, ...rest] = location.hash.split("/");
  return { name: name in PAGES ? name : "inbox", item: rest.length > 0 ? decodeURIComponent(rest.join("/")) : null };
}

function show(state) {
  if (state.who === null) return;
  if (state.who !== shown.who) enter(state.who);
  const { name, item } = place();
  if (state.who !== false && name !== shown.place) turnTo(name);
  page.update(state, item);
  shell?.update(state, name);
  notifier.update(state, page.title);
}

/** Somebody has signed in, or out. */
function enter(who) {
  shown = { who, place: null };
  live?.stop();
  clearTimeout(ending);
  page?.leave();
  shell?.leave();
  [live, shell, page] = [null, null, null];
  if (who === false) {
    page = new SignInPage(app);
    document.body.replaceChildren(page.node);
    page.field.focus();
    return;
  }
  setServerTime(who.now);
  shell = new Shell(app);
  document.body.replaceChildren(shell.node);
  live = new Live(store.dispatch, () => store.state, who.heartbeat_s);
  if (who.expires_at !== null) ending = setTimeout(look, (who.expires_at - who.now) * 1000 + 1000);
  resend((message, error) => notifier.say(`“${message.text}” was not taken: ${error.message}`));
}

/** The sign-in may have ended. */
async function look() {
  await call("GET", "/v1/console/session").catch(app.refused);
}

function turnTo(name) {
  const first = shown.place === null;
  shown.place = name;
  page?.leave();
  page = new PAGES[name](app);
  shell.main.replaceChildren(page.node);
  window.scrollTo(0, 0);
  if (!first) page.heading.focus();
}

async function begin() {
  for (;;) {
    try {
      store.dispatch({ type: "signed-in", who: await call("GET", "/v1/console/session") });
      return;
    } catch (error) {
      if (error instanceof Refused && error.status === 401) {
        store.dispatch({ type: "signed-out" });
        return;
      }
      document.body.replaceChildren(el("main", { class: "alone" }, el("h1", {}, "Placet"), el("p", { role: "status" }, error.message)));
      await pause(2000);
    }
  }
}

store.subscribe(show);
window.addEventListener("hashchange", () => store.dispatch({ type: "turned" }));
begin();
