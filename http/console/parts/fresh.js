// A list that is read anew when it may have changed: not more often than it can be looked at, and never an older answer over a newer.

const LEAST_MS = 700;

export class Fresh {
  #load;
  #version = null;
  #timer = null;
  #asked = 0;
  #last = -Infinity;

  /** @param load reads and shows the list; it is given a function that says whether its answer still counts. */
  constructor(load) {
    this.#load = load;
  }

  /** Read it if this is another version than last time. */
  update(version) {
    if (version === this.#version) return;
    this.#version = version;
    this.#timer ??= setTimeout(() => this.now(), Math.max(0, this.#last + LEAST_MS - performance.now()));
  }

  /** Read it at once. */
  now() {
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#last = performance.now();
    this.#asked += 1;
    const asked = this.#asked;
    return this.#load(() => asked === this.#asked);
  }

  /** Read it no more. */
  leave() {
    clearTimeout(this.#timer);
    this.#asked += 1;
  }
}
