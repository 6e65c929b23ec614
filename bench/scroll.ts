import type { Page } from "@playwright/test";
import { signIn } from "../e2e/support/sign-in";
import type { TestProject } from "../testbed/data/project";
import { attribute } from "../testbed/product/known-load";
import { inBrowser, sendSpans } from "./lib/in-browser";
import { machine, percentile } from "./lib/machine";

/**
 * Run by `npm run bench -- scroll` on a finished build: a conversation of 20,000 messages in a browser. Measures how long it
 * takes to open by its address and from the list (medians of ten), what that transfers, and the time from frame to frame while
 * it scrolls from its start and in its middle.
 */
const MESSAGES = 20_000;
const OPENS = 10;
/** Opens that do not count: the database is still writing what was sent, and none of the page's code is compiled. */
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

function fill(project: TestProject) {
  const startMs = Date.now() - 3_600_000;
  return sendSpans(project, {
    count: MESSAGES / 2,
    span: (n) => turn(n, startMs),
    readable: async () => {
      const { conversations } = await project.read("conversations");
      return (conversations as unknown as { messageCount: number }[])[0]?.messageCount ?? 0;
    },
    expected: MESSAGES,
  });
}

/** Records when the first message is readable; the skeleton that the page shows first does not count. */
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

/** Opens the conversation from the list; returns the time from the click to the first message. */
async function openFromList(page: Page, project: TestProject) {
  await page.goto(`${project.url}/p/${project.projectId}/conversations`);
  const link = page.getByRole("table").locator(`a[href*="/conversations/"]`).first();
  await link.waitFor();
  await page.waitForLoadState("networkidle");
  const opened = page.evaluate<number>(`new Promise((resolve) => {
    addEventListener("click", ({ timeStamp }) => {
      requestAnimationFrame(function look(now) {
        const isThere = [...document.querySelectorAll("article")].some((article) => article.offsetHeight > 0);
        if (isThere) resolve(now - timeStamp);
        else requestAnimationFrame(look);
      });
    }, { capture: true, once: true });
  })`);
  await link.click();
  return opened;
}

/** Scrolls by PX_A_FRAME pixels every frame; returns the times between frames. A string, because tsx rewrites functions. */
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
await inBrowser(async (browser, project) => {
  await fill(project);
  const page = await browser.newPage();
  await signIn(page, project);
  const url = `${project.url}/p/${project.projectId}/conversations/${SESSION}`;
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
  const clicked: number[] = [];
  for (let n = 0; n < OPENS; n++) clicked.push(await openFromList(page, project));
  console.log(
    `opened from the list: first message after ${percentile(clicked, 0.5).toFixed(0)} ms (median of ${OPENS})`,
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
});
