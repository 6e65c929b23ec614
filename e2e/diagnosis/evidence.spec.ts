import { MINUTE_MS } from "@/server/platform/durations";
import { newProject, type TestProject } from "../../testbed/data/project";
import { attribute } from "../../testbed/product/known-load";
import { authenticate } from "../support/sign-in";
import { expect, test } from "../support/test";

/** A Finding's evidence links to the spans and messages that it quotes. */

/** Opening a page reads the conversation, then the span's trace, then the span. */
const OPENS = { timeout: 30_000 };

type Sent = { traceId: string; spanId: string; at: number; attributes: object[]; parentSpanId?: string; name?: string };

const spanOf = ({ at, name = "step", parentSpanId = "", ...span }: Sent) => ({
  ...span,
  name,
  parentSpanId,
  kind: 1,
  startTimeUnixNano: `${at}000000`,
  endTimeUnixNano: `${at + 5}000000`,
});

async function send(project: TestProject, spans: readonly Sent[]) {
  const reply = await fetch(`${project.url}/v1/otlp/v1/traces`, {
    method: "POST",
    headers: { authorization: `Bearer ${project.secret}`, "content-type": "application/json" },
    body: JSON.stringify({
      resourceSpans: [{ resource: {}, scopeSpans: [{ scope: { name: "shop" }, spans: spans.map(spanOf) }] }],
    }),
  });
  expect(reply.status).toBe(200);
}

const hex = (number: number, digits = 16) => number.toString(16).padStart(digits, "0");
const chat = (conversation: string) => [
  attribute("gen_ai.operation.name", "chat"),
  attribute("gen_ai.conversation.id", conversation),
  attribute("gen_ai.input.messages", JSON.stringify([{ role: "user", parts: [{ type: "text", content: "Hi" }] }])),
];
const failingTool = (order: number) => [
  attribute("gen_ai.operation.name", "execute_tool"),
  attribute("gen_ai.tool.name", "get_order"),
  attribute("gen_ai.tool.call.result", `Error: order ${order} not found`),
];

test("a Finding's evidence links to its span in its trace, and its text is only about one conversation", async ({
  page,
  baseURL,
}) => {
  const project = await newProject(baseURL!);
  const start = Date.now() - 120 * MINUTE_MS;
  // Seven traces whose ids are ordered differently from their times; the sixth has many spans before the failing tool.
  const traces = [5, 1, 7, 3, 2, 6, 4].map((id) => hex(id, 32));
  const failing = traces[5]!;
  const spans: Sent[] = traces.map((traceId, index) => ({
    traceId,
    spanId: hex(1),
    at: start + index * MINUTE_MS,
    attributes: chat("long"),
  }));
  for (let step = 0; step < 80; step++) {
    spans.push({
      traceId: failing,
      spanId: hex(100 + step),
      parentSpanId: hex(1),
      at: start + 5 * MINUTE_MS + step,
      attributes: [],
    });
  }
  const spanId = hex(0x0736cf7f, 8) + hex(9, 8);
  spans.push({
    traceId: failing,
    spanId,
    parentSpanId: hex(1),
    name: "execute_tool get_order",
    at: start + 5 * MINUTE_MS + 90,
    attributes: failingTool(1042),
  });
  await send(project, spans);
  const findings = async () =>
    (await project.read("diagnostics/findings")).findings as unknown as { id: string; occurrenceCount: number }[];
  await expect.poll(findings, { timeout: 60_000 }).toMatchObject([{ occurrenceCount: 1 }]);

  await authenticate(page, project);
  const [finding] = await findings();
  await page.goto(`/p/${project.projectId}/findings/${finding!.id}`);
  await page.getByRole("link", { name: "span", exact: true }).click();
  const row = page.getByRole("treeitem", { selected: true });
  await expect(row).toContainText("get_order", OPENS);
  await expect(row).toBeInViewport();
  await expect(page.getByLabel("Trace", { exact: true })).toHaveValue(failing);
  await expect(page.getByLabel("Trace", { exact: true }).locator("option:checked")).toContainText("Trace 6 of 7");
  await expect(page.getByRole("complementary", { name: "Span" })).toContainText("Error: order 1042 not found");

  // Also from the conversation's page; a span that no longer exists is reported as missing.
  const conversation = new URL(page.url()).pathname;
  await page.goto(conversation);
  await page.getByRole("link", { name: "span 0736cf7f" }).click();
  await expect(row).toContainText("get_order", OPENS);
  await expect(row).toBeInViewport();
  await page.goto(`${conversation}?tab=spans&span=${hex(0xdead)}`);
  await expect(page.getByText("no longer exists")).toBeVisible(OPENS);

  // The conversation has an error, although none of its spans failed.
  await page.goto(`/p/${project.projectId}/conversations?errors=true`);
  await expect(page.getByRole("link", { name: "Hi", exact: true })).toHaveCount(1, OPENS);

  const another = hex(8, 32);
  await send(project, [
    { traceId: another, spanId: hex(1), at: Date.now() - MINUTE_MS, attributes: chat("short") },
    { traceId: another, spanId: hex(2), parentSpanId: hex(1), at: Date.now() - MINUTE_MS, attributes: failingTool(7) },
  ]);
  await expect.poll(findings, { timeout: 60_000 }).toMatchObject([{ occurrenceCount: 2 }]);
  await page.goto(`/p/${project.projectId}/findings/${finding!.id}`);
  const why = page.locator("section", { has: page.getByRole("heading", { name: "Why" }) }).last();
  await expect(why).toContainText(/returned “Error: order \d+ not found”/, OPENS);
  const text = (await why.textContent())!;
  expect([7, 1042].filter((order) => text.includes(`order ${order} not found`))).toHaveLength(1);
});
