// Making elements. Text goes in as text nodes only, so nothing that an agent wrote can become markup.

/** An element. Attributes that are `null`, `undefined` or `false` are left out; those that begin with `on` are listeners. */
export function el(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) node.addEventListener(name.slice(2), value);
    else node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Let a node say this, if it does not say so already: a screen reader should not be told the same again. */
export function say(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

/** Show a node or hide it. */
export function show(node, shown) {
  node.hidden = !shown;
}

/** Several children that come and go, each known by a key. What stays is not touched, so that it keeps focus and selection. */
export class Keyed {
  #parent;
  #make;
  #parts = new Map();

  /**
   * @param parent holds them and nothing else.
   * @param make makes a part out of a value: `{node, update(value), leave?()}`.
   */
  constructor(parent, make) {
    this.#parent = parent;
    this.#make = make;
  }

  /** The part of a key. */
  get(key) {
    return this.#parts.get(key);
  }

  /** All parts, in order. */
  get all() {
    return [...this.#parts.values()];
  }

  /** Show exactly these, `[key, value]` each, in this order. Returns whether any came, went or moved. */
  show(entries) {
    const wanted = new Map(entries);
    let moved = false;
    for (const [key, part] of this.#parts) {
      if (wanted.has(key)) continue;
      part.leave?.();
      part.node.remove();
      this.#parts.delete(key);
      moved = true;
    }
    let next = this.#parent.firstChild;
    const parts = new Map();
    for (const [key, value] of wanted) {
      const part = this.#parts.get(key) ?? this.#make(value, key);
      parts.set(key, part);
      part.update(value);
      if (part.node === next) {
        next = next.nextSibling;
      } else {
        this.#parent.insertBefore(part.node, next);
        moved = true;
      }
    }
    this.#parts = parts;
    return moved;
  }
}
