import { randomBytes } from "node:crypto";
import { expect, test } from "@playwright/test";
import { killTree } from "./support/process-tree";
import { startProduct } from "./support/product";
import { newProject, type TestProject } from "./support/project";

/** A row of a reply: its fields are asserted where they are used. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads replies as a client without types does
type Row = Record<string, any>;

const ROUNDS = 3;
const SENDERS = 4;
const CALLS_A_TRACE = 5;
const TRACES_A_SESSION = 3;
/** Sessions between the one that is being sent and the one whose Runs are asked for: it is likely to be readable. */
const SESSIONS_BEHIND = 3;

const hex = (bytes: number) => randomBytes(bytes).toString("hex");
const attribute = (key: string, value: string | number) => ({
  key,
  value: typeof value === "number" ? { intValue: value } : { stringValue: value },
});

/** One trace of a session: model calls and a tool that fails, so that every session has a Finding. */
function trace(session: string) {
  const traceId = hex(16);
  const start = BigInt(Date.now()) * 1_000_000n;
  const span = (i: number, name: string, attributes: object[], status = {}) => ({
    traceId,
    spanId: hex(8),
    name,
    kind: 1,
    startTimeUnixNano: String(start + BigInt(i) * 1_000_000n),
    endTimeUnixNano: String(start + BigInt(i) * 1_000_000n + 500_000n),
    status,
    attributes: [attribute("session.id", session), ...attributes],
  });
  const calls = Array.from({ length: CALLS_A_TRACE }, (_, i) =>
    span(i, "chat gpt-4o", [
      attribute("gen_ai.operation.name", "chat"),
      attribute("gen_ai.provider.name", "openai"),
      attribute("gen_ai.request.model", "gpt-4o"),
      attribute("gen_ai.response.id", hex(8)),
      attribute("gen_ai.usage.input_tokens", 100),
      attribute("gen_ai.usage.output_tokens", 10),
      attribute(
        "gen_ai.input.messages",
        JSON.stringify([{ role: "user", parts: [{ type: "text", content: `question ${hex(4)}` }] }]),
      ),
      attribute(
        "gen_ai.output.messages",
        JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: "An answer." }] }]),
      ),
    ]),
  );
  const tool = span(
    CALLS_A_TRACE,
    "execute_tool get_order",
    [
      attribute("gen_ai.operation.name", "execute_tool"),
      attribute("gen_ai.tool.name", "get_order"),
      attribute("gen_ai.tool.call.id", hex(4)),
      attribute("gen_ai.tool.call.result", "Error: order not found"),
    ],
    { code: 2, message: "order not found" },
  );
  return { traceId, spans: [...calls, tool] };
}

const headers = ({ secret }: TestProject) => ({
  authorization: `Bearer ${secret}`,
  "content-type": "application/json",
});

async function send(project: TestProject, url: string, sent: ReturnType<typeof trace>) {
  const reply = await fetch(`${url}/v1/otlp/v1/traces`, {
    method: "POST",
    headers: headers(project),
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: sent.spans }] }] }),
  });
  await reply.arrayBuffer();
  return reply.ok;
}

async function queueRuns(project: TestProject, writer: string, url: string, session: string) {
  const reply = await fetch(`${url}/v1/projects/${project.projectId}/diagnostics/rule-runs`, {
    method: "POST",
    headers: { ...headers(project), authorization: `Bearer ${writer}` },
    body: JSON.stringify({ conversationId: session, lastActivityAt: 1 }),
  });
  return reply.status === 202 ? ((await reply.json()).runs as { id: string }[]).map((run) => run.id) : [];
}

test("kill -9 of everything under load loses nothing acknowledged and does nothing twice", async () => {
  test.setTimeout(300_000);
  let product = await startProduct({ env: { DIAGNOSE_AFTER_QUIET_SECONDS: "1" } });
  const { dataDir } = product;
  const project = newProject(product.url, dataDir);
  const writer = project.newKey("diagnostics:write", "diagnostics:read");
  const acknowledged = new Map<string, { session: string; spanIds: string[] }>();
  const runIds = new Set<string>();

  try {
    for (let round = 0; round < ROUNDS; round++) {
      let loaded = true;
      const senders = Array.from({ length: SENDERS }, async (_, sender) => {
        for (let i = 0; loaded; i++) {
          const nth = Math.floor(i / TRACES_A_SESSION);
          const session = `round-${round}-${sender}-${nth}`;
          const sent = trace(session);
          if (await send(project, product.url, sent).catch(() => false)) {
            acknowledged.set(sent.traceId, { session, spanIds: sent.spans.map((span) => span.spanId) });
            const older = `round-${round}-${sender}-${Math.max(0, nth - SESSIONS_BEHIND)}`;
            for (const id of await queueRuns(project, writer, product.url, older).catch(() => [])) runIds.add(id);
          }
        }
      });
      // A Run is asked for once its conversation can be read: how soon that is depends on the machine.
      const queuedBefore = runIds.size;
      await expect.poll(() => runIds.size, { timeout: 60_000 }).toBeGreaterThan(queuedBefore);
      await new Promise((resolve) => setTimeout(resolve, 500 + Math.random() * 2500));
      killTree(product.pid);
      loaded = false;
      await Promise.all(senders);
      await product.exited;
      product = await startProduct({ dataDir, env: { DIAGNOSE_AFTER_QUIET_SECONDS: "1" } });
    }
    expect(acknowledged.size).toBeGreaterThan(ROUNDS * SENDERS);

    const read = async (path: string) => {
      const reply = await fetch(`${product.url}/v1/projects/${project.projectId}/${path}`, {
        headers: headers(project),
      });
      expect(reply.status, path).toBe(200);
      return reply.json();
    };
    const everything = async (path: string, name: string) => {
      const rows: Row[] = [];
      for (let cursor: string | null = ""; cursor !== null; ) {
        const page: Row = await read(
          `${path}${path.includes("?") ? "&" : "?"}limit=500${cursor ? `&cursor=${cursor}` : ""}`,
        );
        rows.push(...page[name]);
        cursor = page.pagination.nextCursor;
      }
      return rows;
    };

    await test.step("every acknowledged span is there, once", async () => {
      for (const [traceId, { spanIds }] of acknowledged) {
        const { trace: stored } = await read(`traces/${traceId}`);
        expect(stored.spans.map((span: { spanId: string }) => span.spanId).sort()).toEqual([...spanIds].sort());
      }
    });

    await test.step("every queued Run was executed, once in its effect", async () => {
      await expect
        .poll(async () => (await read("diagnostics/status")).status.runsWaiting, { timeout: 60_000, intervals: [500] })
        .toBe(0);
      const runs = await everything("diagnostics/rule-runs", "runs");
      const byId = new Map(runs.map((run) => [run.id, run.status]));
      for (const id of runIds) expect(byId.get(id), id).toBe("completed");
    });

    await test.step("counters are what a recount gives", async () => {
      const conversations = await everything("conversations", "conversations");
      for (const conversation of conversations) {
        const calls = conversation.traceIds.length * CALLS_A_TRACE;
        expect(conversation).toMatchObject({
          modelCallCount: calls,
          usage: { input_tokens: calls * 100, output_tokens: calls * 10 },
        });
      }
      const findings = await everything("diagnostics/findings?ruleId=tool-failure", "findings");
      const failing = findings.filter((finding) => finding.signal === "tool_error");
      expect(failing).toHaveLength(1);
      const occurrences = await everything(`diagnostics/findings/${failing[0]!.id}/occurrences`, "occurrences");
      expect(occurrences).toHaveLength(failing[0]!.occurrenceCount);
      expect(new Set(occurrences.map((occurrence) => occurrence.conversationId)).size).toBe(occurrences.length);
      const sessions = new Set([...acknowledged.values()].map(({ session }) => session));
      const shown = new Set(occurrences.map((occurrence) => occurrence.conversationExternalId));
      for (const session of sessions) expect(shown, session).toContain(session);
    });
  } finally {
    await product.stop();
  }
});
