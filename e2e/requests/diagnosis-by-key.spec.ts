import { DAY_MS, MINUTE_MS } from "@/server/platform/durations";
import { amount } from "../../scripts/lib/testing/amounts.mjs";
import { newProject } from "../../testbed/data/project";
import { type Spoken, send } from "../../testbed/data/said";
import { FAILURES, failedBooking, HEALTHY } from "../../testbed/product/failures";
import { killTree } from "../../testbed/product/process-tree";
import { startProduct } from "../../testbed/product/product";
import { startReceiver } from "../../testbed/servers/receiver";
import { expect, test } from "../support/test";

/** A row of a reply: its fields are asserted where they are used. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads replies as a client without types does
type Row = Record<string, any>;

/** Enough that the backfill has not completed when it is killed. */
const BACKLOG = amount(150, 600);
/** Tools that fail for the same reason, as a person would recognize. */
const BOOKINGS = ["book_fitting", "reserve_slot"];
const ENV = { DIAGNOSE_AFTER_QUIET_SECONDS: "1", OUTBOUND_ALLOW: "127.0.0.1" };
const SETTLES = { timeout: 90_000, intervals: [500] };

test("over /v1, failures are found by a backfill that is killed midway, reviewed and announced once they regress", async () => {
  test.setTimeout(600_000);
  const hook = await startReceiver();
  let product = await startProduct({ env: ENV });
  const project = await newProject(product.url, product.dataDir);
  const keys = {
    write: await project.newKey("diagnostics:write"),
    read: await project.newKey("diagnostics:read"),
    connect: await project.newKey("connections:manage"),
    send: await project.newKey("telemetry:write"),
  };
  const call = async (key: string, method: string, path: string, body?: object) => {
    const reply = await fetch(`${product.url}/v1/projects/${project.projectId}/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return { status: reply.status, body: (await reply.json()) as Row };
  };
  const read = async (path: string) => {
    const { status, body } = await call(keys.read, "GET", path);
    expect(status, path).toBe(200);
    return body;
  };
  const findings = async (filter = ""): Promise<Row[]> =>
    (await read(`diagnostics/findings?limit=500${filter}`)).findings;
  /** A Finding that this Signal is evidence of, whichever names it. */
  const findingOf = async (rule: string, signal: string, words = "") =>
    (await findings(`&ruleId=${rule}&signal=${signal}`)).find(
      ({ title, mergedIntoId }) => title.includes(words) && mergedIntoId === null,
    );

  try {
    await call(keys.write, "PATCH", "diagnostics/settings", { automaticSchedulingEnabled: false });
    const secret = "a signing key of the journey";
    const { connection } = (
      await call(keys.connect, "POST", "connections", { kind: "webhook", name: "On call", baseUrl: hook.url, secret })
    ).body;
    expect(
      (await call(keys.write, "POST", "notification-rules", { name: "All", connectionId: connection.id })).status,
    ).toBe(201);

    const now = Date.now();
    const conversations: Spoken[] = [
      ...FAILURES.flatMap(({ rule: _, signal, quote: __, ...failure }) =>
        [1, 2].map((n) => ({ ...failure, id: `${signal}-${n}`, startedAt: now - n * DAY_MS })),
      ),
      ...BOOKINGS.map((tool) => ({ id: tool, said: failedBooking(tool), startedAt: now - DAY_MS })),
      ...HEALTHY.map((said, n) => ({ id: `healthy-${n}`, said, startedAt: now - DAY_MS })),
      ...Array.from({ length: BACKLOG }, (_, n) => ({
        id: `backlog-${n}`,
        said: HEALTHY[n % HEALTHY.length]!,
        startedAt: now - 3 * DAY_MS + n * 1000,
      })),
    ];
    await send({ url: product.url, secret: keys.send }, conversations);
    await expect
      .poll(async () => (await read("diagnostics/status")).status.conversations, SETTLES)
      .toBe(conversations.length);

    await test.step("a backfill of every Rule survives kill -9 and reads each conversation once", async () => {
      const { rules } = await read("diagnostics/rules");
      const window = { startMs: now - 7 * DAY_MS, endMs: now + DAY_MS, maxConversations: 10_000 };
      const ids: string[] = [];
      for (const { id } of rules as Row[]) {
        const { status, body } = await call(keys.write, "POST", `diagnostics/rules/${id}/backfills`, window);
        expect(status).toBe(202);
        ids.push(body.backfill.id);
      }
      const finished = async () => {
        const { backfills } = await read("diagnostics/backfills?limit=500");
        return (backfills as Row[]).reduce((sum, { counts }) => sum + counts.completed, 0);
      };
      await expect.poll(finished, { timeout: 60_000, intervals: [50] }).toBeGreaterThan(0);
      killTree(product.pid);
      await product.exited;
      product = await startProduct({ dataDir: product.dataDir, env: ENV });
      const statuses = async () =>
        Promise.all(ids.map(async (id) => (await read(`diagnostics/backfills/${id}`)).backfill.scanStatus));
      await expect.poll(statuses, { timeout: 240_000, intervals: [1000] }).toEqual(ids.map(() => "completed"));
      for (const id of ids) {
        const { backfill } = await read(`diagnostics/backfills/${id}`);
        const { completed, skipped, failed, queued, running } = backfill.counts;
        expect({ read: completed + skipped, open: queued + running, failed }).toEqual({
          read: conversations.length,
          open: 0,
          failed: 0,
        });
      }
    });

    await test.step("each failure is in the right Finding with the right quote, and a healthy conversation is in none", async () => {
      for (const { rule, signal, quote, title } of FAILURES) {
        const found = await findingOf(rule, signal, title);
        expect(found, signal).toMatchObject({ occurrenceCount: 2 });
        const { finding } = await read(`diagnostics/findings/${found!.id}`);
        expect(JSON.stringify(finding.latestOccurrence.evidence), signal).toContain(JSON.stringify(quote).slice(1, -1));
      }
      const healthy = await read("diagnostics/findings?conversationId=healthy-1");
      expect(healthy.findings).toEqual([]);
      expect(hook.received, "backfills send no alerts").toEqual([]);
    });

    const regressing = FAILURES[0]!;
    const sendFailure = (id: string, startedAt: number) => {
      const { said } = regressing;
      return send({ url: product.url, secret: keys.send }, [{ id, said, startedAt }]);
    };
    const countOf = async () =>
      (await findingOf(regressing.rule, regressing.signal, regressing.title))!.occurrenceCount;

    await test.step("one Finding is dismissed, and two about the same problem are merged", async () => {
      const loop = await findingOf("agent-loop", "repeated_tool_call");
      const path = `diagnostics/findings/${loop!.id}`;
      expect((await call(keys.write, "PATCH", path, { reviewStatus: "dismissed" })).status).toBe(200);
      expect((await read(path)).finding).toMatchObject({ reviewStatus: "dismissed" });
      const [into, from] = await Promise.all(BOOKINGS.map((tool) => findingOf("tool-failure", "tool_error", tool)));
      const merged = await call(keys.write, "POST", `diagnostics/findings/${into!.id}/merge`, {
        findingIds: [from!.id],
      });
      expect(merged.status).toBe(200);
      expect((await read(`diagnostics/findings/${into!.id}`)).finding).toMatchObject({ occurrenceCount: 2 });
      expect((await read(`diagnostics/findings/${from!.id}`)).finding).toMatchObject({ mergedIntoId: into!.id });
    });

    await test.step("a resolved Finding regresses only on a conversation that started later, and one alert is sent", async () => {
      const { id } = (await findingOf(regressing.rule, regressing.signal, regressing.title))!;
      const path = `diagnostics/findings/${id}`;
      expect((await call(keys.write, "PATCH", path, { reviewStatus: "confirmed" })).status).toBe(200);
      expect((await call(keys.write, "PATCH", path, { resolutionStatus: "resolved" })).status).toBe(200);
      await call(keys.write, "PATCH", "diagnostics/settings", { automaticSchedulingEnabled: true });
      await sendFailure("started-before", now - MINUTE_MS);
      await expect.poll(countOf, SETTLES).toBe(3);
      expect((await read(path)).finding).toMatchObject({ resolutionStatus: "resolved", regressedAt: null });
      // The conversation must start after the resolution by the database's clock.
      await sendFailure("started-after", Date.now() + 5_000);
      await expect.poll(countOf, SETTLES).toBe(4);
      expect((await read(path)).finding).toMatchObject({ resolutionStatus: "unresolved", reviewStatus: "confirmed" });
      await expect.poll(() => hook.received.length, { timeout: 120_000, intervals: [500] }).toBe(1);
      expect(hook.received[0]).toMatchObject({ type: "finding.regressed", data: { finding: { id } } });
    });

    await test.step("a changed Rule can be previewed, and its disabled Signals are no longer found", async () => {
      // The failure is a timeout, too.
      const off = { enabled: false };
      const configuration = { signalOverrides: { tool_error: off, tool_timeout: off } };
      const tried = await call(keys.write, "POST", "diagnostics/rules/tool-failure/preview", { configuration });
      expect(tried.status).toBe(200);
      expect((await call(keys.write, "PATCH", "diagnostics/rules/tool-failure", { configuration })).status).toBe(200);
      await sendFailure("after-the-change", Date.now());
      const runs = async () =>
        ((await read("diagnostics/rule-runs?ruleId=tool-failure&conversationId=after-the-change")).runs as Row[]).map(
          ({ status, configurationRevision }) => ({ status, configurationRevision }),
        );
      await expect.poll(runs, SETTLES).toEqual([{ status: "completed", configurationRevision: 2 }]);
      expect(await countOf()).toBe(4);
    });

    await test.step("keys without the capability are refused", async () => {
      expect((await call(keys.send, "GET", "diagnostics/findings")).status).toBe(403);
      expect(
        (await call(keys.read, "PATCH", "diagnostics/settings", { automaticSchedulingEnabled: true })).status,
      ).toBe(403);
      expect((await call(keys.write, "GET", "diagnostics/findings")).status).toBe(403);
      expect(hook.received).toHaveLength(1);
    });
  } finally {
    hook.stop();
    await product.stop();
  }
});
