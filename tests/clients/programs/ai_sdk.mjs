// Vercel's AI SDK with its provider for OpenAI-compatible servers.
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText } from "ai";

const [base, apiKey] = process.argv.slice(2);
const model = createOpenAICompatible({ name: "placet", baseURL: `${base}/v1`, apiKey })("placet");
const onError = ({ error }) => { throw error; };
const got = {};

got["generateText"] = (await generateText({ model, prompt: "Do it." })).text;

got["streamText"] = "";
for await (const piece of streamText({ model, prompt: "Do it.", onError }).textStream) got["streamText"] += piece;

console.log(JSON.stringify(got));
