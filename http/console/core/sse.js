// Server-sent events out of a stream of text, by the rules of the HTML standard. Pure.

const LINE_END = /\r\n|\n|\r(?!$)/;

export class FrameParser {
  #rest = "";
  #name = "";
  #data = [];
  #id = null;

  /** The frames that this piece of text completes: `{name, data, id}`, `id` only where the frame itself carries one. */
  feed(text) {
    const lines = (this.#rest + text).split(LINE_END);
    this.#rest = lines.pop();
    return lines.map((line) => this.#line(line)).filter((frame) => frame !== null);
  }

  #line(line) {
    if (line === "") return this.#end();
    const colon = line.indexOf(":");
    const name = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (name === "event") this.#name = value;
    else if (name === "data") this.#data.push(value);
    else if (name === "id") this.#id = value;
    return null;
  }

  #end() {
    const frame = { name: this.#name || "message", data: this.#data.join("\n"), id: this.#id };
    const empty = this.#data.length === 0;
    [this.#name, this.#data, this.#id] = ["", [], null];
    return empty ? null : frame;
  }
}
