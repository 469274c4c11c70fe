// Whether a person can have seen where something stands: it is on the screen, and has not come or moved in the last moment.

export const STEADY_MS = 600;

export class Steady {
  #since = Infinity;
  #observer;
  #onScreen = false;

  /** @param seen the element that must be on the screen. */
  constructor(seen) {
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
    this.#since = this.#onScreen && !document.hidden ? performance.now() : Infinity;
  };

  /** Whether a click or a key can be meant for it. */
  get holds() {
    return performance.now() - this.#since >= STEADY_MS;
  }

  /** Look no more. */
  leave() {
    this.#observer.disconnect();
    document.removeEventListener("visibilitychange", this.disturb);
  }
}
