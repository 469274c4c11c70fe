// What the page knows, as a pure function: state and event in, new state out. Nothing here touches the document or the network.

import { extend, opened } from "/console/core/transcript.js";

export const initial = Object.freeze({
  /** Who sits here, as the server says; `null` before it did, `false` if nobody is signed in. */
  who: null,
  /** Why one has to sign in (again), for a person. */
  notice: "",
  connection: { name: "connecting", retryAt: null },
  /** The place in the server's log up to which the inbox is known; `null` for a page that knows nothing yet. */
  cursor: null,
  /** Whether the inbox was told whole. */
  ready: false,
  /** Prompts by id, in the order in which they were asked. An ended one stays, with `ended`, until it is forgotten. */
  prompts: {},
  /** Raised whenever what lists show may have changed. */
  lists: 0,
  /** The session that is looked at: its id and transcript; `null` for none. */
  session: null,
});

/** Longer than any list shows an ended prompt. */
const ENDED_STAYS_MS = 60_000;

/** The state after an event. */
export function reduce(state, event) {
  const handler = EVENTS[event.type];
  return handler === undefined ? state : handler(state, event);
}

/** The prompts that wait for an answer, oldest first. */
export function waiting(state) {
  return Object.values(state.prompts).filter((prompt) => prompt.ended === null);
}

const EVENTS = {
  "signed-in": (state, { who }) => ({ ...initial, who, lists: state.lists + 1 }),
  "signed-out": (state, { message = "" }) => ({ ...initial, who: false, notice: message }),
  connection: (state, { name, retryAt = null }) => ({
    ...state,
    connection: { name, retryAt },
    lists: name === "live" ? state.lists + 1 : state.lists,
  }),
  // A stream that begins tells every open prompt, so what it does not tell is no longer open.
  fresh: (state) => ({ ...state, ready: false, prompts: map(state.prompts, (prompt) => ({ ...prompt, told: false })) }),
  "lost-place": (state) => ({ ...state, cursor: null, session: state.session && opened(state.session.id) }),
  frames: (state, { frames, at }) => forgetOld(frames.reduce((now, frame) => take(now, frame, at), state), at),
  watch: (state, { id }) => ({ ...state, session: id === null ? null : opened(id) }),
  "session-missing": (state) => ({ ...state, session: state.session && { ...state.session, missing: true } }),
  decided: (state, { requestId, ended, at }) => end(state, requestId, ended, at),
  forget: (state, { requestId }) => ({ ...state, prompts: without(state.prompts, requestId) }),
};

/** One frame of the stream. Frames of a session's log have a `seq`; the others are the inbox's. */
function take(state, frame, at) {
  const data = JSON.parse(frame.data);
  const moved = move(state, frame.id);
  if (frame.name === "lists.changed") return { ...moved, lists: moved.lists + 1 };
  if (data.seq !== undefined || OF_SESSION.has(frame.name)) return ofSession(moved, frame.name, data);
  const handler = INBOX[frame.name];
  return handler === undefined ? moved : handler(moved, data, at);
}

const OF_SESSION = new Set(["session.deleted", "replay.truncated"]);

/** An id is the inbox's place and, after a dot, the session's. */
function move(state, id) {
  if (id === null) return state;
  const [position, seq] = id.split(".").map(Number);
  return { ...state, cursor: position, session: state.session && { ...state.session, seq: seq || state.session.seq } };
}

function ofSession(state, name, data) {
  if (state.session === null) return state;
  // What was seen in pieces comes as a whole now: read it from the beginning.
  if (name === "replay.truncated") return { ...state, session: opened(state.session.id) };
  return { ...state, session: extend(state.session, name, data) };
}

const INBOX = {
  "approval.request": ask,
  "clarify.request": ask,
  "approval.expiring": (state, data) => change(state, data.request_id, { expires_at: data.expires_at, expiring: true }),
  "approval.extended": (state, data) =>
    change(state, data.request_id, { expires_at: data.expires_at, expiring: false, extendedBy: data.by }),
  "approval.responded": ended,
  "approval.settled": ended,
  "clarify.settled": ended,
  "inbox.ready": (state) => ({
    ...state,
    ready: true,
    prompts: Object.fromEntries(Object.entries(state.prompts).filter(([, prompt]) => prompt.told)),
  }),
};

/** A prompt, or one that is shown again: under a new generation it is another question about the same action. */
function ask(state, data, at) {
  if (data.status !== "open") return end(state, data.request_id, { status: data.status }, at);
  const known = state.prompts[data.request_id];
  const same = known !== undefined && known.execution_generation === data.execution_generation;
  const prompt = { ...data, told: true, ended: null, expiring: false, since: same ? known.since : at };
  return { ...state, lists: state.lists + 1, prompts: { ...state.prompts, [data.request_id]: prompt } };
}

function ended(state, data, at) {
  return end(
    state,
    data.request_id,
    { status: data.status, choice: data.choice ?? null, by: data.decided_by, reason: data.reason ?? "", answer: data.answer },
    at,
  );
}

/** The first word about an end counts, except that a fuller one replaces one that does not say who. */
function end(state, requestId, how, at) {
  const known = state.prompts[requestId];
  if (known === undefined || (known.ended !== null && known.ended.by !== undefined)) return state;
  return { ...change(state, requestId, { ended: { ...how, at } }), lists: state.lists + 1 };
}

/** What ended long ago is forgotten also where nobody looks. */
function forgetOld(state, at) {
  const old = ({ ended }) => ended !== null && at - ended.at > ENDED_STAYS_MS;
  if (!Object.values(state.prompts).some(old)) return state;
  return { ...state, prompts: Object.fromEntries(Object.entries(state.prompts).filter(([, prompt]) => !old(prompt))) };
}

function change(state, requestId, fields) {
  const known = state.prompts[requestId];
  return known === undefined ? state : { ...state, prompts: { ...state.prompts, [requestId]: { ...known, ...fields } } };
}

function map(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

function without(object, key) {
  const { [key]: _, ...rest } = object;
  return rest;
}
