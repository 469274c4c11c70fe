// Sending an answer to a prompt, and what is said of how it ended.

import { insist, path, Refused } from "/console/core/api.js";
import { moment, now } from "/console/core/time.js";

export const LABELS = {
  once: { label: "Approve once", key: "o", tone: "primary" },
  session: { label: "For this session", key: "s" },
  always: { label: "Always", key: "a" },
  deny: { label: "Deny", key: "d", tone: "danger" },
  retry: { label: "Run it again", key: "r" },
  failed: { label: "Take it as failed", key: "f", tone: "primary" },
};

/** Choices that are taken with a reason, which the agent is told. */
export const WITH_REASON = new Set(["deny"]);

/**
 * Answer a prompt. It is sent until there is an answer: with its id, generation and digest it can be taken only once and only as it
 * was shown. Resolves to how the prompt ended, by whomever; throws `Refused` where it was not decided.
 */
export async function decide(prompt, choice, reason, whileWaiting) {
  const body = {
    choice,
    request_id: prompt.request_id,
    execution_generation: prompt.execution_generation,
    digest: prompt.digest,
    ...(reason ? { reason } : {}),
  };
  return decideAt(path`/v1/approvals/${prompt.request_id}/decision`, body, whileWaiting);
}

/** The same at another place, in the words that are taken there. */
export async function decideAt(place, body, whileWaiting) {
  try {
    const made = await insist("POST", place, body, { whileWaiting });
    return how(made, body.reason ?? "", made.status === "already_resolved");
  } catch (error) {
    if (error instanceof Refused && error.code === "already_resolved" && error.detail.decision) {
      return how(error.detail.decision, "", true);
    }
    throw error;
  }
}

function how({ choice, decided_by: by }, reason, late) {
  return { status: choice === "deny" || choice === "failed" ? "denied" : "approved", choice, by, reason, late };
}

/** Answer a question in words. */
export async function clarify(prompt, answer, whileWaiting) {
  const body = { request_id: prompt.request_id, execution_generation: prompt.execution_generation, answer };
  const made = await insist("POST", path`/v1/runs/${prompt.run_id}/clarify`, body, { whileWaiting });
  return { status: "answered", by: made.decided_by, answer: made.answer };
}

const WORDS = {
  once: "Approved once",
  session: "Approved for the session",
  always: "Approved always",
  deny: "Denied",
  retry: "To be run again",
  failed: "Taken as failed",
};
const STATUS = { expired: "Expired: it was not run", cancelled: "Withdrawn: nobody needs an answer any more", answered: "Answered" };

/** How a prompt ended, in a sentence. */
export function sentence(ended) {
  const what = WORDS[ended.choice] ?? STATUS[ended.status] ?? (ended.status === "denied" ? "Denied" : "Approved");
  const who = ended.by && ended.by !== "placet" ? ` by ${ended.by.replace(/^rule:/, "rule ")}` : "";
  const said = ended.answer ?? (ended.choice ? ended.reason : "");
  return `${ended.late ? "Somebody was faster. " : ""}${what}${who}${said ? `: “${said}”` : ""}`;
}

/** Why an answer was not taken, with what to do. */
export function refusal(error) {
  return `${error.message}${error.code ? ` (${error.code}, ${moment(now())})` : ""}`;
}
