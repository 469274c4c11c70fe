// The one connection on which the server tells what happens. It comes back by itself, after what the page has, and says how it is.

import { HEADERS, Refused } from "/console/core/api.js";
import { FrameParser } from "/console/core/sse.js";

const AGAIN_MS = [250, 500, 1000, 2000, 4000]; // people wait in front of it, and an attempt is cheap
const SILENT_BEATS = 2.5; // heartbeats that may fail to come before the connection counts as dead
const SILENT_LEAST_MS = 6000;

export class Live {
  #dispatch;
  #place;
  #silentMs;
  #stopped = false;
  #abort = null;
  #wake = null;
  #tries = 0;
  #heardAt = 0;

  /**
   * @param dispatch takes events for the page's state.
   * @param place gives where the page is: `{cursor, session}`.
   * @param heartbeatS seconds after which the server shows a sign of life.
   */
  constructor(dispatch, place, heartbeatS) {
    this.#dispatch = dispatch;
    this.#place = place;
    this.#silentMs = Math.max(SILENT_LEAST_MS, heartbeatS * SILENT_BEATS * 1000);
    window.addEventListener("online", this.retryNow);
    window.addEventListener("offline", this.#look);
    document.addEventListener("visibilitychange", this.#look);
    this.#watchdog = setInterval(this.#look, 1000);
    this.#run();
  }

  #watchdog;

  /** Try again at once instead of waiting any longer. */
  retryNow = () => {
    this.#tries = 0;
    this.#wake?.();
  };

  /** Begin anew, because the page looks at another session. */
  reopen() {
    this.#tries = 0;
    this.#abort?.abort("reopen");
    this.#wake?.();
  }

  /** End it for good. */
  stop() {
    this.#stopped = true;
    clearInterval(this.#watchdog);
    window.removeEventListener("online", this.retryNow);
    window.removeEventListener("offline", this.#look);
    document.removeEventListener("visibilitychange", this.#look);
    this.#abort?.abort("stop");
    this.#wake?.();
  }

  /** A connection that died without a word: the laptop slept, the cable was pulled. */
  #look = () => {
    const silent = this.#heardAt > 0 && performance.now() - this.#heardAt > this.#silentMs;
    if (this.#abort !== null && (silent || navigator.onLine === false)) this.#abort.abort("silent");
  };

  async #run() {
    while (!this.#stopped) {
      const why = await this.#follow();
      if (this.#stopped || why === "reopen") continue;
      const waitMs = AGAIN_MS[Math.min(this.#tries, AGAIN_MS.length - 1)] * (0.8 + 0.4 * Math.random());
      this.#tries += 1;
      this.#dispatch({ type: "connection", name: "offline", retryAt: Date.now() + waitMs });
      await this.#rest(waitMs);
      if (!this.#stopped) this.#dispatch({ type: "connection", name: "connecting" });
    }
  }

  #rest(ms) {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  /** One connection, from its request to its end. */
  async #follow() {
    const abort = new AbortController();
    this.#abort = abort;
    this.#heardAt = performance.now();
    try {
      const response = await fetch(this.#address(), { headers: HEADERS, cache: "no-store", signal: abort.signal });
      if (!response.ok) return await this.#refused(response);
      this.#begin();
      await this.#read(response.body.pipeThrough(new TextDecoderStream()).getReader(), abort.signal);
      return abort.signal.aborted ? abort.signal.reason : "ended";
    } catch {
      return abort.signal.aborted ? abort.signal.reason : "failed";
    } finally {
      this.#abort = null;
    }
  }

  #address() {
    const { cursor, session } = this.#place();
    const query = new URLSearchParams();
    if (session !== null) query.set("session", session.id);
    if (cursor !== null) query.set("after", `${cursor}.${session === null ? 0 : session.seq}`);
    return `/v1/console/events?${query}`;
  }

  #begin() {
    this.#tries = 0;
    if (this.#place().cursor === null) this.#dispatch({ type: "fresh" });
    this.#dispatch({ type: "connection", name: "live" });
  }

  async #read(reader, signal) {
    const parser = new FrameParser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done || signal.aborted) return; // what came for another session must not reach this one
      this.#heardAt = performance.now();
      const frames = parser.feed(value);
      if (frames.length > 0) this.#dispatch({ type: "frames", frames, at: Date.now() });
    }
  }

  /** What the answer says to do next; nothing is lost by it. */
  async #refused(response) {
    const { error = {} } = await response.json().catch(() => ({}));
    const refused = new Refused(response.status, error, null);
    if (refused.status === 401) this.#dispatch({ type: "signed-out", message: refused.message });
    if (refused.code === "session_not_found") this.#dispatch({ type: "session-missing" });
    if (refused.code === "invalid_last_event_id") this.#dispatch({ type: "lost-place" });
    return ["session_not_found", "invalid_last_event_id"].includes(refused.code) ? "reopen" : "refused";
  }
}
