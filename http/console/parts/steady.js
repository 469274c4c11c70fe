// Whether a person can have seen where something stands: it is on the screen, and has not come or moved in the last moment.

export const STEADY_MS = 600;

export class Steady {
  #node;
  #timer = null;
  #observer;
  #onScreen = false;

  /**
   * @param node says by its attribute `data-steady` whether it holds.
   * @param seen the part of it that must be on the screen.
   */
  constructor(node, seen) {
    this.#node = node;
    this.#observer = new IntersectionObserver(
      ([entry]) => {
        if (entry.isIntersecting === this.#onScreen) return;
        this.#onScreen = entry.isIntersecting;
        this.disturb();
      },
      { threshold: 0.2 },
    );
    this.#observer.observe(seen);
    document.addEventListener("visibilitychange", this.disturb);
  }

  /** It has moved, or the person has looked away. */
  disturb = () => {
    clearTimeout(this.#timer);
    delete this.#node.dataset.steady;
    if (!this.#onScreen || document.hidden) return;
    this.#timer = setTimeout(() => {
      this.#node.dataset.steady = "";
    }, STEADY_MS);
  };

  /** Whether a click or a key can be meant for it. */
  get holds() {
    return "steady" in this.#node.dataset;
  }

  /** Look no more. */
  leave() {
    clearTimeout(this.#timer);
    this.#observer.disconnect();
    document.removeEventListener("visibilitychange", this.disturb);
  }
}
