import type { Locator, Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { attribute, headers } from "../../testbed/product/known-load";
import { seen } from "../support/seen";
import { authenticate } from "../support/sign-in";
import { expect, test } from "../support/test";

/** A session that grows while it is being read: the reader keeps their place, and new messages are shown where they belong. */

const TURNS = 2000;
const SESSION = "live";
const TRACE = "d".repeat(32);
/** The page polls every few seconds, a few more on a busy machine. */
const NEWS = { timeout: 30_000 };
/** Rows have fractional heights, and the browser scrolls by whole pixels. */
const A_FEW_PX = 3;

const hex = (n: number) => n.toString(16).padStart(16, "0");
const text = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: "text", content }] }]);
/** Text for rows of many heights, none of which the page can estimate. */
const words = (n: number) => "the parcel went to the wrong warehouse and came back ".repeat(1 + ((n * 7) % 23));

/** A model call with two new messages. */
const turn = (name: number | string, id: number, at: number) => ({
  traceId: TRACE,
  spanId: hex(id),
  name: "chat gpt-4o",
  kind: 1,
  startTimeUnixNano: `${at}000000`,
  endTimeUnixNano: `${at + 1}000000`,
  attributes: [
    attribute("gen_ai.conversation.id", SESSION),
    attribute("gen_ai.operation.name", "chat"),
    attribute("gen_ai.provider.name", "openai"),
    attribute("gen_ai.request.model", "gpt-4o"),
    attribute("gen_ai.input.messages", text("user", `Question ${name}: ${words(id)}`)),
    attribute("gen_ai.output.messages", text("assistant", `Answer ${name}: ${words(id + 5)}`)),
  ],
});

async function send(project: TestProject, spans: readonly object[]) {
  const reply = await fetch(`${project.url}/v1/otlp/v1/traces`, {
    method: "POST",
    headers: headers(project),
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ scope: { name: "agent" }, spans }] }] }),
  });
  expect(reply.status).toBe(200);
}

/** The first words of every message, as `/v1` lists them. */
async function allMessages(project: TestProject) {
  const found: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const page = (await project.read(
      `conversations/${SESSION}/messages?limit=500${cursor && `&cursor=${encodeURIComponent(cursor)}`}`,
    )) as unknown as { messages: { parts: { text: string }[] }[]; pagination: { nextCursor: string | null } };
    found.push(...page.messages.map(({ parts }) => parts[0]!.text.split(":")[0]!));
    cursor = page.pagination.nextCursor;
  }
  return found;
}

const isInView = async (message: Locator) => expect(message).toBeInViewport(NEWS);
const saying = (page: Page, start: string) => page.getByRole("article").filter({ hasText: `${start}: ` });
const topOf = async (message: Locator) => (await message.boundingBox())!.y;

/** The first words of the messages in the DOM, from top to bottom. */
const shown = (page: Page) =>
  page
    .getByRole("article")
    .evaluateAll((all) => all.map((one) => /(Question|Answer) [^:]+/.exec(one.textContent)?.[0]));

/** Scrolls with the wheel; returns a message in the middle of the view once the page has settled and everything is loaded. */
async function restAt(page: Page, by: number) {
  const middle = () =>
    page.getByRole("article").evaluateAll((all) => {
      const one = all.find((article) => article.getBoundingClientRect().top > window.innerHeight / 3);
      return {
        starts: /(Question|Answer) [^:]+/.exec(one?.textContent ?? "")?.[0],
        top: one?.getBoundingClientRect().top,
      };
    });
  const before = await middle();
  await page.mouse.wheel(0, by);
  let rested = before;
  await expect(async () => {
    const now = await middle();
    const last = rested;
    rested = now;
    expect(now.starts).toBeDefined();
    expect(now.starts).not.toBe(before.starts);
    expect(now).toEqual(last);
    expect(await page.locator("[aria-busy=true]").count()).toBe(0);
  }).toPass({ intervals: [300], ...NEWS });
  return saying(page, rested.starts!);
}

test("a reader of a session of 2,000 turns stays in place while it grows, and follows its end after jumping there", async ({
  page,
  baseURL,
}) => {
  test.setTimeout(120_000);
  const project = await newProject(baseURL!);
  const startMs = Date.now() - 60_000;
  let sent = 0;
  const grow = async (by: number) => {
    const piece = Array.from({ length: by }, (_, n) => turn(sent + n, sent + n + 1, startMs + 20 * (sent + n)));
    sent += by;
    await send(project, piece);
  };
  const messageCount = async () =>
    ((await project.read("conversations")).conversations as unknown as { messageCount: number }[])[0]?.messageCount;
  const header = (messages: number) => seen(page, `${messages.toLocaleString("en")} messages`, { exact: true });

  while (sent < 1200) await grow(400);
  await expect.poll(messageCount, { timeout: 60_000 }).toBe(2400);
  await authenticate(page, project);

  await test.step("a link opens a turn far down", async () => {
    await page.goto(`/p/${project.projectId}/conversations/${SESSION}#m-1000`);
    await isInView(page.getByRole("article", { name: "User, message 1000" }));
    await expect(saying(page, "Question 500")).toBeVisible();
  });

  const asked: number[] = [];
  page.on("request", (request) => {
    const { pathname, searchParams } = new URL(request.url());
    if (!pathname.includes("conversations.messages")) return;
    const inputs = Object.values(JSON.parse(searchParams.get("input") ?? "{}")) as { fromIndex?: number }[];
    asked.push(...inputs.flatMap(({ fromIndex }) => fromIndex ?? []));
  });

  await test.step("the message in view stays in place while hundreds are added", async () => {
    await page.getByRole("article").first().hover();
    const message = await restAt(page, 15_000);
    const index = Number(/\d+$/.exec((await message.getAttribute("aria-label")) ?? "")?.[0]);
    expect(index).toBeGreaterThan(1020);
    const top = await topOf(message);
    asked.length = 0;
    for (let piece = 0; piece < 2; piece++) {
      await grow(200);
      await expect(header(2 * sent)).toBeVisible(NEWS);
      await page.waitForLoadState("networkidle");
      expect(Math.abs((await topOf(message)) - top)).toBeLessThanOrEqual(A_FEW_PX);
    }
    // The new messages are far away, so only what is in view is refetched, because it might have changed.
    expect(asked.filter((from) => Math.abs(from - index) > 150)).toEqual([]);

    // Turns that arrive late and belong before: the same message now has another index.
    const late = [turn("late a", 9001, startMs + 205), turn("late b", 9002, startMs + 405)];
    await send(project, late);
    await expect(header(2 * sent + 4)).toBeVisible(NEWS);
    await expect(message).toHaveAttribute("aria-label", new RegExp(`message ${index + 4}$`), NEWS);
    expect(Math.abs((await topOf(message)) - top)).toBeLessThanOrEqual(A_FEW_PX);
  });

  await test.step("a button jumps to the latest turns, and newer ones appear as they arrive", async () => {
    await page.getByRole("button", { name: "804 new messages: jump to the latest" }).click();
    await isInView(saying(page, `Answer ${sent - 1}`));
    for (let piece = 0; piece < 2; piece++) {
      await grow(200);
      await isInView(saying(page, `Answer ${sent - 1}`));
      await expect(page.getByRole("button", { name: /jump to the latest/i })).toHaveCount(0);
    }
    expect(sent).toBe(TURNS);
    const inDom = await shown(page);
    const expected = [TURNS - 3, TURNS - 2, TURNS - 1].flatMap((n) => [`Question ${n}`, `Answer ${n}`]);
    expect(inDom.slice(-expected.length)).toEqual(expected);
  });

  await test.step("the view stays in place after scrolling up, and late turns are in order", async () => {
    const message = await restAt(page, -4000);
    const top = await topOf(message);
    await send(project, [turn("last", TURNS + 1, startMs + 20 * TURNS)]);
    await expect(page.getByRole("button", { name: "2 new messages: jump to the latest" })).toBeVisible(NEWS);
    expect(Math.abs((await topOf(message)) - top)).toBeLessThanOrEqual(A_FEW_PX);
    await page.evaluate(() => {
      window.location.hash = "m-22";
    });
    await isInView(saying(page, "Question late a"));
    const around = await shown(page);
    expect(around.slice(around.indexOf("Answer 10"), around.indexOf("Question 11") + 1)).toEqual([
      "Answer 10",
      "Question late a",
      "Answer late a",
      "Question 11",
    ]);
  });

  await test.step("spans are counted as they arrive", async () => {
    await page.getByRole("tab", { name: "Spans" }).click();
    const coverage = page.getByRole("tabpanel", { name: "Spans" }).getByRole("status");
    await expect(coverage).toContainText("2,003 spans");
    await send(project, [turn("after", TURNS + 2, startMs + 20 * (TURNS + 1))]);
    await expect(coverage).toContainText("2,004 spans", NEWS);
  });

  await test.step("no message is lost or duplicated", async () => {
    const both = (name: number | string) => [`Question ${name}`, `Answer ${name}`];
    const numbered = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => both(from + n)).flat();
    expect(await allMessages(project)).toEqual([
      ...numbered(0, 11),
      ...both("late a"),
      ...numbered(11, 21),
      ...both("late b"),
      ...numbered(21, TURNS),
      ...both("last"),
      ...both("after"),
    ]);
  });
});
