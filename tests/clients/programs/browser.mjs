// A page in Chromium, from another origin than the server: `fetch` with a key, and `EventSource`, which can send none.
import { createServer } from "node:http";
import { chromium } from "playwright-core";

const [executablePath, pagePort, what, base, key] = process.argv.slice(2);
const flags = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update"];

/** In the page: a streamed completion, read by `fetch`. */
async function byFetch([base, key]) {
  const response = await fetch(`${base}/v1/chat/completions`, {
    method: "POST",
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json", "X-Session-Id": "of-a-page" },
    body: JSON.stringify({ model: "placet", stream: true, messages: [{ role: "user", content: "Do it." }] }),
  });
  if (response.headers.get("X-Session-Id") !== "of-a-page") throw new Error("the page cannot read the session's id");
  const frames = (await response.text()).split("\n\n").filter((frame) => frame.startsWith("data: {"));
  return frames.map((frame) => JSON.parse(frame.slice(6)).choices[0].delta.content ?? "").join("");
}

/** In the page: a run, followed by `EventSource`. */
async function byEventSource([base]) {
  const response = await fetch(`${base}/v1/runs`, { method: "POST", body: JSON.stringify({ input: "Do it." }) });
  const { run_id: run } = await response.json();
  const source = new EventSource(`${base}/v1/runs/${run}/events`);
  let text = "";
  source.addEventListener("message.delta", (event) => { text += JSON.parse(event.data).delta; });
  await new Promise((resolve, reject) => {
    source.addEventListener("run.completed", resolve);
    source.addEventListener("run.failed", reject);
  });
  source.close();
  return text;
}

/** In the page that the server itself serves: how many operations its document shows, and what was complained about. */
async function showDocs(page) {
  const complaints = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  await page.goto(`${base}/docs`);
  await page.waitForSelector("section.operation");
  const operations = await page.$$eval("section.operation", (found) => found.length);
  await page.waitForFunction(() => {
    const section = document.getElementById("chat_completions");
    for (const fold of section.querySelectorAll("details:not([open])")) fold.open = true;
    return section.textContent.includes("approval.request");
  });
  return { operations, complaints };
}

const browser = await chromium.launch({ executablePath, args: flags });
const server = createServer((_, response) => response.writeHead(200, { "Content-Type": "text/html" }).end("<!doctype html>"));
await new Promise((resolve) => server.listen(Number(pagePort), "127.0.0.1", resolve));
try {
  const page = await browser.newPage();
  if (what === "docs") {
    console.log(JSON.stringify(await showDocs(page)));
  } else {
    await page.goto(`http://127.0.0.1:${pagePort}/`);
    const got = await page.evaluate(what === "fetch" ? byFetch : byEventSource, [base, key]);
    console.log(JSON.stringify({ [what]: got }));
  }
} finally {
  await browser.close();
  server.closeAllConnections();
  server.close();
}
