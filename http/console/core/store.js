// Where the state lives. Whoever shows some of it is told once a frame, however much has happened.

import { initial, reduce } from "/console/core/state.js";

export class Store {
  state = initial;
  #listeners = new Set();
  #due = false;

  /** Take an event. */
  dispatch = (event) => {
    this.state = reduce(this.state, event);
    if (this.#due) return;
    this.#due = true;
    requestAnimationFrame(this.#tell);
    setTimeout(this.#tell, 100); // a page in the background draws no frames, but its title must still count
  };

  /** Be told the state when it has changed; returns how to stop that. */
  subscribe(listener) {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  #tell = () => {
    if (!this.#due) return;
    this.#due = false;
    for (const listener of [...this.#listeners]) listener(this.state);
  };
}
