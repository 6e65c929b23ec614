import { chromium, type Page } from "@playwright/test";
import { attribute, headers } from "../e2e/support/known-load";
import { startProduct } from "../e2e/support/product";
import { newProject, type TestProject } from "../e2e/support/project";
import { signIn } from "../e2e/support/sign-in";
import { findChromium } from "../scripts/lib/testing/chromium.mjs";
import { machine, percentile } from "./lib/machine";

/**
 * Run by `npm run bench:scroll` on a finished build: a conversation of 20,000 messages in a browser. How long it takes to open
 * (median of ten), what that transfers, and the time from frame to frame while it scrolls from its start and in its middle.
 */
const MESSAGES = 20_000;
const BATCH = 500;
const OPENS = 10;
/** Opened before it counts: the database still writes what was sent, and nothing of the page is compiled. */
const WARM_UP = 5;
const FRAMES = 600;
const PX_A_FRAME = 60;
const SESSION = "long";

const text = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: "text", content }] }]);
const words = (n: number) => "the parcel went to the wrong warehouse and came back ".repeat(1 + ((n * 7) % 23));

function turn(n: number, startMs: number) {
  return {
    traceId: "e".repeat(32),
    spanId: (n + 1).toString(16).padStart(16, "0"),
    name: "chat gpt-4o",
    kind: 1,
    startTimeUnixNano: `${startMs + n}000000`,
    endTimeUnixNano: `${startMs + n + 1}000000`,
    attributes: [
      attribute("gen_ai.conversation.id", SESSION),
      attribute("gen_ai.operation.name", "chat"),
      attribute("gen_ai.request.model", "gpt-4o"),
      attribute("gen_ai.input.messages", text("user", `Question ${n}: ${words(n)}`)),
      attribute("gen_ai.output.messages", text("assistant", `Answer ${n}: ${words(n + 5)}`)),
    ],
  };
}

async function fill(project: TestProject) {
  const startMs = Date.now() - 3_600_000;
  for (let from = 0; from < MESSAGES / 2; from += BATCH) {
    const spans = Array.from({ length: BATCH }, (_, n) => turn(from + n, startMs));
    const body = JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });
    const reply = await fetch(`${project.url}/v1/otlp/v1/traces`, { method: "POST", headers: headers(project), body });
    if (!reply.ok) throw new Error(`${reply.status} ${await reply.text()}`);
  }
  for (let count = 0; count < MESSAGES; ) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const { conversations } = await project.read("conversations");
    count = (conversations as unknown as { messageCount: number }[])[0]?.messageCount ?? 0;
  }
}

/** Notes when the first message is there to be read: the skeleton that a page shows first is none. */
const NOTE_FIRST_MESSAGE = `requestAnimationFrame(function look(now) {
  const isThere = [...document.querySelectorAll("article")].some((article) => article.offsetHeight > 0);
  if (isThere) window.firstMessageAt = now;
  else requestAnimationFrame(look);
})`;

/** Returns times from the start of the navigation, and the size of the document. */
async function open(page: Page, url: string) {
  await page.goto(url);
  return page.evaluate<{ message: number; document: number; bytes: number }>(`new Promise((resolve) => {
    requestAnimationFrame(function look() {
      if (window.firstMessageAt === undefined) return requestAnimationFrame(look);
      const [{ responseEnd, decodedBodySize }] = performance.getEntriesByType("navigation");
      resolve({ message: window.firstMessageAt, document: responseEnd, bytes: decodedBodySize });
    });
  })`);
}

/** Scrolls by this many pixels with every frame; returns the times from one frame to the next. As text, since tsx rewrites functions. */
const scroll = (page: Page) =>
  page.evaluate<{ times: number[]; empty: number }>(`new Promise((resolve) => {
    let box = document.querySelector("article").parentElement;
    while (getComputedStyle(box).overflowY !== "auto") box = box.parentElement;
    const times = [];
    let empty = 0;
    let last = performance.now();
    requestAnimationFrame(function step(now) {
      times.push(now - last);
      last = now;
      if (document.querySelector("[aria-busy=true]")) empty += 1;
      if (times.length > ${FRAMES}) return resolve({ times: times.slice(1), empty });
      box.scrollBy(0, ${PX_A_FRAME});
      requestAnimationFrame(step);
    });
  })`);

console.log(`Reading ${MESSAGES.toLocaleString("en")} messages in a browser on ${machine()}`);
const executablePath = await findChromium();
if (!executablePath) throw new Error("This needs a Chromium: set CHROMIUM_PATH.");
// Rules would read the conversation meanwhile, for a minute of processor time.
const product = await startProduct({ env: { DIAGNOSE_AFTER_QUIET_SECONDS: "3600" } });
const browser = await chromium.launch({ executablePath, args: ["--disable-gpu"] });
try {
  const project = newProject(product.url, product.dataDir);
  await fill(project);
  const page = await browser.newPage();
  await signIn(page, project);
  const url = `${product.url}/p/${project.projectId}/conversations/${SESSION}`;
  await page.addInitScript(NOTE_FIRST_MESSAGE);
  const opened: Awaited<ReturnType<typeof open>>[] = [];
  for (let n = -WARM_UP; n < OPENS; n++) {
    const times = await open(page, url);
    if (n >= 0) opened.push(times);
  }
  const median = (of: "message" | "document" | "bytes") =>
    percentile(
      opened.map((one) => one[of]),
      0.5,
    );
  console.log(
    `opened: first message after ${median("message").toFixed(0)} ms, the document of ${(median("bytes") / 1024).toFixed(0)} KiB after ${median("document").toFixed(0)} ms (medians of ${OPENS})`,
  );
  for (const [where, hash] of [
    ["from the start", ""],
    ["in the middle", `#m-${MESSAGES / 2}`],
  ]) {
    await page.goto("about:blank");
    await page.goto(`${url}${hash}`);
    await page.getByRole("article").first().waitFor();
    await page.waitForLoadState("networkidle");
    const { times, empty } = await scroll(page);
    const [p50, p95, most] = [0.5, 0.95, 1].map((p) => percentile(times, p).toFixed(1));
    console.log(
      `scrolled ${where}, ${PX_A_FRAME} px a frame: frames of ${p50} ms median, ${p95} ms p95, ${most} ms maximum; a message still empty in ${empty} of ${FRAMES}`,
    );
  }
} finally {
  await browser.close();
  await product.stop();
}
