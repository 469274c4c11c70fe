// What the page asks of the server.

const PATIENCE_MS = 40_000; // a little more than the server waits for a session
const AGAIN_MS = [300, 1000, 2000, 4000];

/** The server said no, and why. `code` is stable, `message` is for a person, `detail` is the whole error object. */
export class Refused extends Error {
  constructor(status, error, retryAfterS) {
    super(error.message ?? `The server answered ${status}.`);
    this.status = status;
    this.code = error.code ?? "unknown";
    this.detail = error;
    this.retryAfterS = retryAfterS;
  }
}

/** Nothing came back: it is not known whether the request arrived. */
export class Unreachable extends Error {
  constructor() {
    super("The server cannot be reached.");
  }
}

/** What goes with every request. No other page may send this header without the server's leave, so it shows whose request it is. */
export const HEADERS = { "X-Placet-Console": "1" };

/** Ask once. Throws `Refused` or `Unreachable`. */
export async function call(method, path, body, headers = {}) {
  let response, text;
  try {
    response = await fetch(path, {
      method,
      headers: { ...HEADERS, ...(body === undefined ? {} : { "Content-Type": "application/json" }), ...headers },
      body: body === undefined ? undefined : JSON.stringify(body),
      cache: "no-store",
      redirect: "error",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    text = await response.text();
  } catch {
    throw new Unreachable();
  }
  const answer = read(text);
  if (response.ok) return answer;
  throw new Refused(response.status, answer.error ?? {}, Number(response.headers.get("Retry-After")) || null);
}

function read(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/**
 * Ask until there is an answer. Only for what may be asked twice and done once: a decision, or what carries an Idempotency-Key.
 * `whileWaiting` is told each time that the server could not be reached.
 */
export async function insist(method, path, body, { headers = {}, whileWaiting = () => {} } = {}) {
  for (let tries = 0; ; tries += 1) {
    try {
      return await call(method, path, body, headers);
    } catch (error) {
      const comesBack = error instanceof Unreachable || (error instanceof Refused && error.status === 503);
      if (!comesBack) throw error;
      whileWaiting(error);
      await pause(AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)]);
    }
  }
}

/** Wait. */
export function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

export const path = (parts, ...values) =>
  parts.reduce((whole, part, place) => whole + encodeURIComponent(values[place - 1]) + part);
