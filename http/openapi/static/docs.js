// Renders the OpenAPI document that this server describes itself with. Text goes into the page as text only, never as markup.

const METHODS = ["get", "post", "put", "patch", "delete"];
const BOUNDS = {
  minimum: "≥", maximum: "≤", minLength: "length ≥", maxLength: "length ≤", minItems: "items ≥", maxItems: "items ≤",
  pattern: "matches", const: "always", default: "default",
};

/** An element with attributes and children; strings become text, nothing becomes nothing. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

/** A method, as it stands before a path. */
function verb(method) {
  return element("span", { class: "method" }, method.toUpperCase());
}

/** A line of prose in which `backquotes` mark code. */
function prose(text) {
  return text.split("`").map((part, index) => (index % 2 ? element("code", {}, part) : part));
}

/** Prose of several lines: paragraphs, and lists of lines that begin with an asterisk. */
function paragraphs(text = "") {
  return text.trim().split(/\n\n/).filter(Boolean).map((block) => {
    const lines = block.split("\n");
    if (!lines.every((line) => line.startsWith("* "))) return element("p", {}, prose(lines.join(" ")));
    return element("ul", {}, lines.map((line) => element("li", {}, prose(line.slice(2)))));
  });
}

/** A part that is filled when it is first opened: schemas refer to each other, some to themselves. */
function folded(summary, fill) {
  const made = element("details", {}, element("summary", {}, summary));
  made.addEventListener("toggle", () => made.append(...fill()), { once: true });
  return made;
}

class Page {
  constructor(api) {
    this.api = api;
  }

  resolve(schema) {
    if (!schema.$ref) return schema;
    const name = schema.$ref.split("/").pop();
    const own = schema.description ? { description: schema.description } : {};
    return { title: name, ...this.api.components.schemas[name], ...own };
  }

  /** What a value may be, in a few words. */
  kind(schema) {
    if (schema.$ref) return schema.$ref.split("/").pop();
    if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(" | ");
    const choices = schema.anyOf ?? schema.oneOf;
    if (choices) return [...new Set(choices.map((choice) => this.kind(choice)))].join(" | ");
    if (schema.type === "array") return `list of ${this.kind(schema.items ?? {})}`;
    return schema.type ?? "anything";
  }

  bounds(schema) {
    const found = Object.entries(BOUNDS).filter(([key]) => key in schema && schema[key] !== null);
    return found.map(([key, word]) => ` ${word} ${JSON.stringify(schema[key])}`).join(",");
  }

  /** The structs that a schema leads to, each to be unfolded. */
  parts(schema) {
    if (schema.$ref) return [this.struct(this.resolve(schema))];
    const inner = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.items ? [schema.items] : [])];
    return inner.flatMap((choice) => this.parts(choice));
  }

  struct(schema) {
    return folded([element("code", {}, schema.title ?? "object")], () => [
      ...paragraphs(schema.description),
      schema.enum ? element("p", {}, this.kind(schema)) : this.fields(schema),
    ]);
  }

  fields(schema) {
    const required = new Set(schema.required ?? []);
    const fields = Object.entries(schema.properties ?? {});
    return element("dl", {}, fields.map(([name, field]) => this.field(name, field, required.has(name))));
  }

  field(name, schema, required) {
    const notes = `${this.kind(schema)}${this.bounds(schema)}${required ? "" : ", optional"}`;
    const head = element("dt", {}, element("code", {}, name), " ", element("span", { class: "quiet" }, notes));
    return [head, element("dd", {}, prose(schema.description ?? ""), this.parts(schema))];
  }

  parameters(operation) {
    if (!operation.parameters) return [];
    const rows = operation.parameters.map((parameter) => {
      const schema = { ...parameter.schema, description: `${parameter.description} (${parameter.in})` };
      return this.field(parameter.name, schema, parameter.required);
    });
    return [element("h4", {}, "Parameters"), element("dl", {}, rows)];
  }

  body(operation) {
    if (!operation.requestBody) return [];
    const contents = Object.values(operation.requestBody.content);
    return [element("h4", {}, "Body"), ...contents.flatMap(({ schema }) => this.parts(schema))];
  }

  content([media, content]) {
    if (content.itemSchema) return folded(`${media}: a stream of events`, () => this.events(content.itemSchema));
    return element("div", {}, element("span", { class: "quiet" }, media), this.parts(content.schema));
  }

  events(itemSchema) {
    return itemSchema.anyOf.map((event) => {
      const { data, event: name } = event.properties;
      const text = "const" in data ? data.const : "";
      const parts = data.contentSchema ? this.parts(data.contentSchema) : [];
      return element("div", {}, element("code", {}, name.const), " ", text, parts);
    });
  }

  responses(operation) {
    const answers = Object.entries(operation.responses).map(([status, answer]) => {
      const summary = [element("code", {}, status), " ", status < "300" ? answer.description : ""];
      const more = () => [
        ...(status < "300" ? [] : paragraphs(answer.description)),
        ...Object.keys(answer.headers ?? {}).map((name) => element("p", {}, "Header ", element("code", {}, name))),
        ...(status < "300" ? Object.entries(answer.content ?? {}).map((content) => this.content(content)) : []),
      ];
      return folded(summary, more);
    });
    return [element("h4", {}, "Answers"), ...answers];
  }

  operation(path, method, operation) {
    const heading = element("h3", {}, verb(method), element("span", { class: "path" }, path));
    const key = operation.security?.length === 0 ? element("p", { class: "quiet" }, "Needs no key.") : null;
    return element(
      "section", { class: "operation", id: operation.operationId }, heading, element("p", {}, prose(operation.summary)),
      paragraphs(operation.description), key, this.parameters(operation), this.body(operation), this.responses(operation),
    );
  }

  /** Every operation as [tag, path, method, operation], in the document's order. */
  operations() {
    return Object.entries(this.api.paths).flatMap(([path, item]) =>
      METHODS.filter((method) => item[method]).map((method) => [item[method].tags[0], path, method, item[method]]));
  }

  render() {
    const { title, version, description } = this.api.info;
    const main = [element("h1", {}, `${title} `, element("span", { class: "quiet" }, version)), ...paragraphs(description)];
    const contents = [];
    for (const { name } of this.api.tags) {
      main.push(element("h2", {}, name));
      contents.push(element("h2", {}, name));
      for (const [, path, method, operation] of this.operations().filter(([tag]) => tag === name)) {
        main.push(this.operation(path, method, operation));
        contents.push(element("a", { href: `#${operation.operationId}` }, verb(method), path));
      }
    }
    document.getElementById("document").replaceChildren(...main);
    document.getElementById("contents").replaceChildren(...contents);
    document.getElementById(location.hash.slice(1))?.scrollIntoView();
  }
}

try {
  const response = await fetch("openapi.json");
  new Page(await response.json()).render();
} catch (error) {
  document.getElementById("document").replaceChildren(element("p", {}, `The document could not be read: ${error.message}`));
}
