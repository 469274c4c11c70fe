// What a person has said and the server has not confirmed yet. It outlives a reload, and the key makes a retry the same message.

import { insist } from "/console/core/api.js";

const PLACE = "placet.outbox";

/** Messages on their way, the oldest first: `{key, session, text}`. */
export function pending() {
  try {
    return JSON.parse(sessionStorage.getItem(PLACE)) ?? [];
  } catch {
    return [];
  }
}

function keep(messages) {
  sessionStorage.setItem(PLACE, JSON.stringify(messages));
}

/** Say something in a session. Resolves when the server has it, throws `Refused` if it does not want it. */
export async function send(session, text, whileWaiting) {
  const message = { key: crypto.randomUUID?.() ?? random(), session, text };
  keep([...pending(), message]);
  return await deliver(message, whileWaiting);
}

/** Send again what an earlier life of this page had not seen confirmed. */
export async function resend(refused) {
  for (const message of pending()) {
    await deliver(message).catch((error) => refused(message, error));
  }
}

async function deliver({ key, session, text }, whileWaiting) {
  const options = { headers: { "Idempotency-Key": key }, whileWaiting };
  try {
    return await insist("POST", "/v1/runs", { input: text, session_id: session }, options);
  } finally {
    keep(pending().filter((message) => message.key !== key));
  }
}

/** Over plain HTTP from another machine browsers have no `randomUUID`. */
function random() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A name for a new session, made here so that asking twice makes one. */
export function newSessionId() {
  return `console-${random().slice(0, 12)}`;
}
