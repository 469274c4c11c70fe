// A session's log folded into what a person reads: messages, thoughts, tools, questions, in their order. Pure.

/** A session of which nothing is known yet. */
export function opened(id) {
  return { id, seq: 0, items: [], runs: {}, title: null, missing: false, deleted: false };
}

/** The transcript after one event of its log. */
export function extend(session, name, data) {
  const handler = LOG[name];
  return handler === undefined ? session : handler(session, data);
}

/** The run that works now, if one does. */
export function running(session) {
  return Object.values(session.runs).find((run) => ["running", "stopping", "unknown"].includes(run.status)) ?? null;
}

const LOG = {
  "session.created": (session, data) => ({ ...session, title: data.title ?? session.title }),
  "session.updated": (session, data) => ("title" in data ? { ...session, title: data.title } : session),
  "session.deleted": (session) => ({ ...session, deleted: true }),
  "run.queued": (session, data) =>
    run(session, data, { status: "queued", admission_id: data.admission_id, unsaid: data.input }),
  "run.started": (session, data) =>
    speak(run(session, data, { status: "running", generation: data.execution_generation }), data),
  "run.resumed": (session, data) =>
    add(run(session, data, { status: "running", generation: data.execution_generation }), data, {
      kind: "note",
      text: "The server was restarted; the turn goes on where it was.",
    }),
  "run.unknown": (session, data) =>
    add(run(session, data, { status: "unknown", generation: data.execution_generation }), data, { kind: "unknown" }),
  "run.stopping": (session, data) =>
    add(run(session, data, { status: "stopping" }), data, { kind: "note", text: `${data.by} asked it to stop.` }),
  "run.steered": (session, data) => add(session, data, { kind: "steer", text: data.text, by: data.by }),
  "message.delta": (session, data) => text(session, data, "assistant", data.delta),
  "reasoning.available": (session, data) => text(session, data, "thought", data.text),
  "message.restarted": restart,
  "tool.started": (session, data) =>
    add(session, data, { kind: "tool", call: data.tool_call_id, tool: data.tool, preview: data.preview, output: "", done: null }),
  "tool.progress": (session, data) =>
    edit(session, tool(data), (item) => ({ output: (item.output + data.delta).slice(-OUTPUT_MAX) })),
  "tool.completed": (session, data) =>
    edit(session, tool(data), () => ({ done: { failed: data.error, seconds: data.duration, preview: data.preview } })),
  "approval.request": ask,
  "clarify.request": ask,
  "approval.responded": answer,
  "approval.settled": answer,
  "clarify.settled": answer,
  "approval.granted": (session, data) => add(session, data, { kind: "granted", display: data.display, rule: data.rule_id }),
  "run.completed": finish("completed"),
  "run.failed": finish("failed"),
  "run.cancelled": finish("cancelled"),
  "run.interrupted": finish("interrupted"),
};

/** Characters of a tool's output that the page keeps; the agent has more. */
const OUTPUT_MAX = 64 * 1024;

function add(session, data, item) {
  return { ...session, items: [...session.items, { key: String(data.seq), run: data.run_id, at: data.timestamp, ...item }] };
}

function run(session, data, fields) {
  const known = session.runs[data.run_id] ?? { id: data.run_id, admission_id: data.run_id, generation: null };
  return { ...session, runs: { ...session.runs, [data.run_id]: { ...known, ...fields } } };
}

/** A piece of what is said goes to the piece before it, if nothing came between. */
function text(session, data, kind, piece) {
  const last = session.items.at(-1);
  if (last === undefined || last.kind !== kind || last.run !== data.run_id || last.dropped) {
    return add(session, data, { kind, text: piece });
  }
  return { ...session, items: [...session.items.slice(0, -1), { ...last, text: last.text + piece }] };
}

/** The answer is begun anew: what was said of it so far does not count. */
function restart(session, data) {
  const of = (item) => item.run === data.run_id && (item.kind === "assistant" || item.kind === "thought");
  return { ...session, items: session.items.map((item) => (of(item) && !item.dropped ? { ...item, dropped: true } : item)) };
}

/** Change the newest item that fits. */
function edit(session, fits, change) {
  const place = session.items.findLastIndex(fits);
  if (place < 0) return session;
  const items = session.items.slice();
  items[place] = { ...items[place], ...change(items[place]) };
  return { ...session, items };
}

function tool(data) {
  return (item) => item.kind === "tool" && item.call === data.tool_call_id && item.run === data.run_id;
}

/** A question. Shown again, under a new generation, it is the same one. */
function ask(session, data) {
  const fits = (item) => item.kind === "prompt" && item.id === data.request_id;
  if (session.items.some(fits)) return edit(session, fits, () => ({ prompt: data }));
  const ended = data.status === "open" ? null : { status: data.status };
  return add(session, data, { kind: "prompt", id: data.request_id, prompt: data, ended });
}

function answer(session, data) {
  const ended = { status: data.status, choice: data.choice, by: data.decided_by, reason: data.reason, answer: data.answer };
  return edit(session, (item) => item.kind === "prompt" && item.id === data.request_id, () => ({ ended }));
}

/** An input takes its place when its turn begins: until then what runs before it goes on. */
function speak(session, data) {
  const { unsaid = null } = session.runs[data.run_id];
  if (unsaid === null) return session;
  return add(run(session, data, { unsaid: null }), { ...data, seq: `${data.seq}-input` }, { kind: "user", text: unsaid });
}

function finish(status) {
  return (session, data) => {
    const ended = speak(run(session, data, { status }), data);
    const said = session.items.some((item) => item.run === data.run_id && item.kind === "assistant" && !item.dropped);
    const whole = said || !data.output ? ended : add(ended, data, { kind: "assistant", text: data.output });
    if (status === "completed") return whole;
    return add(whole, { ...data, seq: `${data.seq}-end` }, { kind: "end", status, error: data.error ?? null });
  };
}
