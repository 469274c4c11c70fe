// The page of an answer link: the one card, for somebody who is not signed in. Opening it decides nothing.

import { call, Refused, Unreachable } from "/console/core/api.js";
import { el, say } from "/console/core/dom.js";
import { setServerTime } from "/console/core/time.js";
import { Card } from "/console/parts/card.js";
import { decideAt, sentence } from "/console/parts/decision.js";

const UNUSABLE = {
  expired: "This link's time is over. The prompt still waits: sign in to decide it.",
  stale: "The server was restarted since this link was made. If the prompt still waits, you get another link.",
};

const brand = el("p", { class: "brand" }, el("img", { src: "/console/icon.svg", alt: "", width: "28", height: "28" }), "Placet");
const main = el("main", { class: "one" }, brand);
const heading = el("h1", { tabindex: "-1" });
const more = el("p", { class: "quiet", role: "status" });
const place = location.pathname;
let card = null;

/** What a card needs of the page around it. */
function around(decidesAs) {
  return {
    who: { may_decide: false }, // who has a link may not let the prompt wait longer
    live: true,
    may: () => true,
    selected: () => {},
    refused: (error) => {
      if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
    },
    dispatch: ({ ended }) => card.update({ ...card.prompt, ended }),
    decide: async (prompt, choice, reason, whileWaiting) => {
      const ended = await decideAt(place, { choice, ...(reason ? { reason } : {}) }, whileWaiting);
      // A request that was sent again because its answer was lost has lost to itself.
      return { ...ended, late: ended.late && !(ended.by === decidesAs && ended.choice === choice) };
    },
  };
}

/** Show the card, or how it stands with its prompt. */
function show(answer) {
  setServerTime(answer.now);
  if (answer.prompt === null) {
    const { status, decision: choice, decided_by: by } = answer;
    if (status === "open") tell("Nothing has been decided", UNUSABLE[answer.link]);
    else tell("This is decided", `${sentence({ status, choice, by })}.`);
    return;
  }
  card = new Card(around(answer.decides_as), { ...answer.prompt, ended: null });
  card.update(card.prompt);
  setInterval(() => card.tick(), 500);
  say(more, `Whatever you choose is recorded as the decision of “${answer.decides_as}”. This link works once.`);
  main.append(card.node, more);
}

function tell(title, text) {
  say(heading, title);
  say(more, text);
  main.append(heading, more);
  heading.focus();
}

async function begin() {
  document.body.replaceChildren(main);
  try {
    show(await call("GET", `${place}/card`));
  } catch (error) {
    if (!(error instanceof Refused) && !(error instanceof Unreachable)) throw error;
    tell("Nothing has been decided", error.message);
  }
}

begin();
