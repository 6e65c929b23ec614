import { expect, test } from "@playwright/test";
import { askForRuns, CALLS_A_TRACE, headers, knownTrace, runIdsOf, sendTrace } from "./support/known-load";
import { killTree } from "./support/process-tree";
import { startProduct } from "./support/product";
import { newProject } from "./support/project";

/** A row of a reply: its fields are asserted where they are used. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads replies as a client without types does
type Row = Record<string, any>;

const ROUNDS = 3;
const SENDERS = 4;
const TRACES_A_SESSION = 3;
/** Sessions between the one that is being sent and the one whose Runs are asked for: it is likely to be readable. */
const SESSIONS_BEHIND = 3;

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
          const sent = knownTrace(session);
          const answer = sendTrace(project, product.url, sent).then(({ ok }) => ok);
          if (await answer.catch(() => false)) {
            acknowledged.set(sent.traceId, { session, spanIds: sent.spans.map((span) => span.spanId) });
            const older = `round-${round}-${sender}-${Math.max(0, nth - SESSIONS_BEHIND)}`;
            const asked = askForRuns(project, product.url, { writer, session: older });
            for (const id of await asked.then(runIdsOf).catch(() => [])) runIds.add(id);
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
