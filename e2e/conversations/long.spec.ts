import type { Page } from "@playwright/test";
import { newProject, type TestProject } from "../../testbed/data/project";
import { attribute } from "../../testbed/product/known-load";
import { seen } from "../support/seen";
import { authenticate } from "../support/sign-in";
import { expect, test } from "../support/test";

/** A conversation too long for one page: only what is in view is loaded, starting where a link leads. */

const SPANS = 4000;
const TRACE = "c".repeat(32);
const spanId = (n: number) => (n + 1).toString(16).padStart(16, "0");
const text = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: "text", content }] }]);

/** Model calls with two messages alternate with steps: message 2n is sent by span 2n. */
function spanAt(n: number, startMs: number) {
  const call = [
    attribute("gen_ai.operation.name", "chat"),
    attribute("gen_ai.provider.name", "openai"),
    attribute("gen_ai.request.model", "gpt-4o"),
    attribute("gen_ai.usage.input_tokens", 100),
    attribute("gen_ai.input.messages", text("user", `Question of span ${n}`)),
    attribute("gen_ai.output.messages", text("assistant", `Answer of span ${n}`)),
  ];
  return {
    traceId: TRACE,
    spanId: spanId(n),
    name: n % 2 === 0 ? "chat gpt-4o" : `step ${n}`,
    kind: 1,
    startTimeUnixNano: `${startMs + n}000000`,
    endTimeUnixNano: `${startMs + n + 1}000000`,
    attributes: [attribute("gen_ai.conversation.id", "endless"), ...(n % 2 === 0 ? call : [])],
  };
}

async function send(project: TestProject, signal: "traces" | "logs", body: object) {
  const reply = await fetch(`${project.url}/v1/otlp/v1/${signal}`, {
    method: "POST",
    headers: { authorization: `Bearer ${project.secret}`, "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  expect(reply.status).toBe(200);
}

async function endless(project: TestProject) {
  const startMs = Date.now() - 60_000;
  const spans = Array.from({ length: SPANS }, (_, n) => spanAt(n, startMs));
  await send(project, "traces", { resourceSpans: [{ scopeSpans: [{ scope: { name: "agent" }, spans }] }] });
  const log = { traceId: TRACE, spanId: spanId(3501), timeUnixNano: `${startMs + 3501}000000`, eventName: "retried" };
  const logRecords = [{ ...log, body: { stringValue: "because of a lock" } }];
  await send(project, "logs", { resourceLogs: [{ scopeLogs: [{ scope: { name: "agent" }, logRecords }] }] });
  await expect
    .poll(async () => (await project.read("conversations")).conversations, { timeout: 60_000 })
    .toEqual([expect.objectContaining({ messageCount: SPANS, modelCallCount: SPANS / 2 })]);
}

/** Scrolls to the end of what is loaded until `words` appear. */
const scrollUntil = (page: Page, box: string, words: RegExp) =>
  expect(async () => {
    await page.locator(box).evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await expect(seen(page, words)).toBeVisible({ timeout: 500 });
  }).toPass({ timeout: 90_000 });

test("a conversation of thousands of spans loads only what is in view, starting where a link points", async ({
  page,
  baseURL,
}) => {
  test.setTimeout(300_000);
  const project = await newProject(baseURL!);
  await endless(project);
  await authenticate(page, project);
  const conversation = `/p/${project.projectId}/conversations/endless`;

  await test.step("the transcript opens at a message far down, and at the first", async () => {
    await page.goto(`${conversation}#m-3501`);
    await expect(page.getByRole("article", { name: "Assistant, message 3501" })).toContainText("Answer of span 3500");
    expect(await page.locator("article").count()).toBeLessThan(100);
    await page.goto(`${conversation}#m-0`);
    await page.reload();
    await expect(page.getByRole("article", { name: "User, message 0" })).toContainText("Question of span 0");
  });

  await test.step("the Cost tab shows the sum of all calls, and loads more calls on scroll", async () => {
    await page.goto(`${conversation}?tab=cost`);
    const cost = page.getByRole("tabpanel", { name: "Cost" });
    await expect(cost).toContainText("2,000 of 2,000 calls priced");
    expect(await cost.getByRole("button", { name: "Open the breakdown" }).count()).toBeLessThan(100);
    await scrollUntil(page, "[role=tabpanel]:visible > div", /^([5-9]\d\d|1,\d{3}|2,000) of 2,000 model calls/);
  });

  await test.step("a link opens a span far down, with its log record", async () => {
    await page.goto(`${conversation}?tab=spans&span=${spanId(3501)}`);
    const panel = page.getByRole("complementary", { name: "Span" });
    await expect(panel.getByRole("heading", { name: "step 3501" })).toBeVisible({ timeout: 30_000 });
    await panel.getByText("retried").click();
    await expect(panel).toContainText("because of a lock");
    await expect(page.getByRole("treeitem", { name: "step 3501", selected: true })).toBeInViewport();
  });

  await test.step("the whole trace is searched and shown by time, and lists its log records", async () => {
    await expect(seen(page, "4,000 spans, 2,000 counted as model calls")).toBeVisible();
    const tree = page.getByRole("tree", { name: "Spans" });
    expect(await tree.getByRole("treeitem").count()).toBeLessThan(100);
    await page.getByRole("textbox", { name: "Search spans" }).fill("answer of span 390");
    await expect(tree.getByRole("treeitem", { name: /Answer of span 3900/ })).toBeInViewport();
    await page.keyboard.press("Enter");
    await expect(page.getByText("3 of 6", { exact: true })).toBeVisible();
    await expect(tree.getByRole("treeitem", { name: /Answer of span 3902/ })).toBeInViewport();
    await page.getByText("Flame", { exact: true }).click();
    await expect(page.getByRole("button", { name: /too narrow to show/ }).first()).toBeVisible();
    await page.getByRole("button", { name: "1 log record" }).click();
    await expect(page.getByRole("complementary", { name: "Log records" })).toContainText("retried");
  });
});
