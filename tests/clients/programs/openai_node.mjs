// OpenAI's client for Node: both surfaces, streamed and not.
import OpenAI from "openai";

const [base, apiKey] = process.argv.slice(2);
const client = new OpenAI({ baseURL: `${base}/v1`, apiKey });
const messages = [{ role: "user", content: "Do it." }];
const got = {};

const whole = await client.chat.completions.create({ model: "placet", messages });
got["chat"] = whole.choices[0].message.content;

got["chat stream"] = "";
for await (const chunk of await client.chat.completions.create({ model: "placet", messages, stream: true })) {
  got["chat stream"] += chunk.choices[0].delta.content ?? "";
}

got["chat helper"] = await client.chat.completions.stream({ model: "placet", messages }).finalContent();

got["response"] = (await client.responses.create({ model: "placet", input: "Do it." })).output_text;

got["response stream"] = "";
for await (const event of await client.responses.create({ model: "placet", input: "Do it.", stream: true })) {
  if (event.type === "response.output_text.delta") got["response stream"] += event.delta;
}

console.log(JSON.stringify(got));
