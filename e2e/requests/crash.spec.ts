import { setTimeout as sleep } from "node:timers/promises";
import type postgres from "postgres";
import { gather, stillOpen } from "../../bench/chaos/evidence";
import { miscounted } from "../../bench/chaos/miscounted";
import { victimsOf } from "../../bench/chaos/victims";
import { randomOf } from "../../bench/lib/random";
import { amount } from "../../scripts/lib/testing/amounts.mjs";
import { newProject } from "../../testbed/data/project";
import {
  askForRuns,
  attribute,
  CALLS_A_TRACE,
  headers,
  knownTrace,
  runIdsOf,
  sendTrace,
} from "../../testbed/product/known-load";
import { killTree } from "../../testbed/product/process-tree";
import { startProduct } from "../../testbed/product/product";
import { runningDatabase } from "../../testbed/product/running-database";
import { expect, test } from "../support/test";

/** Draws moments and victims; a run is repeated with TEST_SEED. */
const SEED = Number(process.env.TEST_SEED || Math.floor(Math.random() * 2 ** 31));
const random = randomOf(SEED);
test.beforeAll(() => console.log(`TEST_SEED=${SEED}`));

/** A row of a reply: its fields are asserted where they are used. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads replies as a client without types does
type Row = Record<string, any>;

const ROUNDS = amount(2, 5);
const SENDERS = 4;
const LATEST_KILL_MS = 2_000;
const TRACES_A_SESSION = 3;
/** Sessions between the one being sent and the newest whose Runs are requested. */
const SESSIONS_BEHIND = 3;

/** Returns what the database's connections are doing, to explain why there is no progress. */
const activity = async (dataDir: string) => {
  const sql = runningDatabase(dataDir);
  const rows = await sql`
    select application_name, state, wait_event_type, wait_event, now() - xact_start as age, pg_blocking_pids(pid) as blocked_by,
           left(query, 200) as query
    from pg_stat_activity where state <> 'idle'`;
  await sql.end({ timeout: 1 });
  return rows;
};

test("kill -9 of everything under load loses nothing acknowledged and does nothing twice", async () => {
  test.setTimeout(600_000);
  let product = await startProduct({ env: { DIAGNOSE_AFTER_QUIET_SECONDS: "1" } });
  const { dataDir } = product;
  const project = await newProject(product.url, dataDir);
  const writer = await project.newKey("diagnostics:write", "diagnostics:read");
  const acknowledged = new Map<string, { session: string; spanIds: string[] }>();
  const runIds = new Set<string>();

  try {
    for (let round = 0; round < ROUNDS; round++) {
      let loaded = true;
      const replies = new Map<string, number>();
      const count = (reply: string) => replies.set(reply, (replies.get(reply) ?? 0) + 1);
      const senders = Array.from({ length: SENDERS }, async (_, sender) => {
        // Sticks to one session until it becomes readable: on a busy machine, ever newer ones never would be.
        let asksOf = 0;
        for (let i = 0; loaded; i++) {
          const nth = Math.floor(i / TRACES_A_SESSION);
          const session = `round-${round}-${sender}-${nth}`;
          const sent = knownTrace(session);
          const answer = await sendTrace(project, product.url, sent).catch(String);
          count(typeof answer === "string" ? `sent: ${answer}` : `sent: ${answer.status}`);
          if (typeof answer !== "string" && answer.ok) {
            acknowledged.set(sent.traceId, { session, spanIds: sent.spans.map((span) => span.spanId) });
            const earlier = `round-${round}-${sender}-${asksOf}`;
            const asked = await askForRuns(project, product.url, { writer, session: earlier }).catch(String);
            count(typeof asked === "string" ? `asked: ${asked}` : `asked: ${asked.status}`);
            const ids = typeof asked === "string" ? [] : await runIdsOf(asked);
            for (const id of ids) runIds.add(id);
            if (ids.length > 0) asksOf = Math.max(asksOf, nth - SESSIONS_BEHIND);
          }
        }
      });
      // A Run is only queued once its conversation is readable: how soon that is depends on the machine.
      const queuedBefore = runIds.size;
      await expect
        .poll(() => runIds.size, { timeout: 120_000 })
        .toBeGreaterThan(queuedBefore)
        .catch(async (error) => {
          const database = await activity(dataDir);
          throw new Error(
            JSON.stringify({ round, replies: [...replies], database, output: product.output() }, null, 1),
            {
              cause: error,
            },
          );
        });
      // Not a wait: everything is killed at any moment under load.
      await sleep(random() * LATEST_KILL_MS);
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

    await test.step("every acknowledged span is stored once", async () => {
      for (const [traceId, { spanIds }] of acknowledged) {
        const { trace: stored } = await read(`traces/${traceId}`);
        expect(stored.spans.map((span: { spanId: string }) => span.spanId).sort()).toEqual([...spanIds].sort());
      }
    });

    await test.step("every queued Run is completed", async () => {
      // Includes Runs that were not requested: until a sweep has queued them, a quiet conversation has no pending Run.
      const sql = runningDatabase(dataDir);
      await expect
        .poll(() => stillOpen(sql, project.projectId, true), { timeout: 180_000, intervals: [500] })
        .toEqual([])
        .finally(() => sql.end({ timeout: 1 }));
      const { conversations, conversationsRead, runsWaiting } = (await read("diagnostics/status")).status;
      expect({ unread: conversations - conversationsRead, runsWaiting }).toEqual({ unread: 0, runsWaiting: 0 });
      const runs = await everything("diagnostics/rule-runs", "runs");
      const byId = new Map(runs.map((run) => [run.id, run.status]));
      for (const id of runIds) expect(byId.get(id), id).toBe("completed");
    });

    await test.step("counters match a recount", async () => {
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

/** More than two batches of a repricing. */
const CALLS = 2_300;
/** One in this many calls is of a model whose price does not change. */
const EVERY_OTHER_MODEL = 10;
const SESSIONS = 40;
/** The number of sessions with labels. */
const LABELLED = 25;
const WORK_MS = 60_000;

/** Model calls with known usage, each in its own trace, over three days. */
function pricedCalls(count: number) {
  const start = Date.now() - 2 * 86_400_000;
  return Array.from({ length: count }, (_, n) => {
    const model = n % EVERY_OTHER_MODEL === 0 ? "gpt-4o" : "acme-1";
    const startedAt = start + Math.floor((n / count) * 2 * 86_400_000);
    return {
      traceId: (n + 1).toString(16).padStart(32, "0"),
      spanId: (n + 1).toString(16).padStart(16, "0"),
      name: `chat ${model}`,
      kind: 3,
      startTimeUnixNano: `${startedAt}000000`,
      endTimeUnixNano: `${startedAt + 10}000000`,
      status: {},
      attributes: [
        attribute("session.id", `session-${n % SESSIONS}`),
        ...(n % SESSIONS < LABELLED ? [attribute("langfuse.trace.tags", "vip,beta")] : []),
        attribute("gen_ai.operation.name", "chat"),
        attribute("gen_ai.provider.name", "openai"),
        attribute("gen_ai.request.model", model),
        attribute("gen_ai.usage.input_tokens", 7 + n),
        attribute("gen_ai.usage.output_tokens", 3),
      ],
    };
  });
}

/** A project with calls; those of `acme-1` cost `price` dollars per token. */
async function pricedProject(
  { url, dataDir }: { url: string; dataDir: string },
  sql: postgres.Sql,
  { calls, price }: { calls: number; price: number },
) {
  const project = await newProject(url, dataDir);
  const secret = await project.newKey("model-pricing:write", "model-pricing:read");
  const post = async (path: string, body: object = {}) => {
    const reply = await fetch(`${url}/v1/projects/${project.projectId}/${path}`, {
      method: "POST",
      headers: headers({ secret }),
      body: JSON.stringify(body),
    });
    expect(reply.ok, `${path}: ${await reply.text()}`).toBe(true);
  };
  const setPrice = (price: number) =>
    post("model-prices", {
      provider: "external",
      modelName: "acme-1",
      pricingTiers: [
        { name: "Standard", isDefault: true, priority: 0, prices: { input_tokens: price, output_tokens: price } },
      ],
    });
  await setPrice(price);
  expect((await sendTrace(project, url, { traceId: "", spans: pricedCalls(calls) })).status).toBe(200);
  const stored = async () =>
    (await sql`select count(*)::int as calls from model_calls where project_id = ${project.projectId}`)[0]?.calls;
  await expect.poll(stored, { timeout: WORK_MS }).toBe(calls);
  return { projectId: project.projectId, post, setPrice };
}

/** Returns every stored cost of the project, with exact digits and bytes. */
async function storedCosts(sql: postgres.Sql, projectId: string) {
  const rows = await sql`
    select 'call ' || span_id as of, cost_total::text as total, cost::text as evidence
    from model_calls where project_id = ${projectId}
    union all select 'conversation ' || id, cost::text, unpriced_call_count::text from conversations
    where project_id = ${projectId} order by 1`;
  return new Map(rows.map(({ of, total, evidence }) => [of as string, `${total} ${evidence}`]));
}

/** Returns the keys whose values differ; none if nothing has changed. */
const differing = (one: Map<string, string>, other: Map<string, string>) =>
  [...new Set([...one.keys(), ...other.keys()])].filter((key) => one.get(key) !== other.get(key));

/** A gate that the first batch of a repricing or its undo passes; later batches wait there while it is closed. */
async function closableGate(sql: postgres.Sql) {
  const GATE = 7_010_203;
  await sql.unsafe(`
    create function at_the_gate() returns trigger language plpgsql as
      $$ begin perform pg_advisory_xact_lock_shared(${GATE}); return new; end $$;
    create trigger at_the_gate before update on repricings for each row
      when (old.calls_examined between 1 and new.calls_examined - 1
        or old.calls_restored between 1 and new.calls_restored - 1)
      execute function at_the_gate()`);
  return {
    close: () => sql`select pg_advisory_lock(${GATE}::int)`,
    open: () => sql`select pg_advisory_unlock(${GATE}::int)`,
    waiting: async () =>
      (await sql`select pid from pg_locks where locktype = 'advisory' and objid = ${GATE} and not granted`).length,
  };
}

test("a repricing and its undo each take effect exactly once despite kill -9 of the worker midway", async () => {
  test.setTimeout(240_000);
  const product = await startProduct({ env: { DIAGNOSE_AFTER_QUIET_SECONDS: "3600" } });
  const sql = runningDatabase(product.dataDir);
  const victims = victimsOf(product, random);
  try {
    const { projectId, post, setPrice } = await pricedProject(product, sql, { calls: CALLS, price: 0.1 });
    const others = await pricedProject(product, sql, { calls: 50, price: 0.2 });
    const before = await storedCosts(sql, projectId);
    const theirs = await storedCosts(sql, others.projectId);
    await setPrice(0.7);
    await others.setPrice(0.9);
    const gate = await closableGate(sql);

    const stored = async () => {
      const [row] = await sql`
        select r.state, r.calls_examined as examined, r.calls_changed as changed, r.calls_restored as restored,
               r.calls_kept as kept, trim_scale(r.cost_before)::text as "costBefore", trim_scale(r.cost_after)::text as "costAfter",
               count(c)::int as evidence, count(distinct (c.trace_id, c.span_id))::int as "evidenceOnce"
        from repricings r left join repriced_calls c on c.project_id = r.project_id and c.repricing_id = r.id
        where r.project_id = ${projectId} group by r.project_id, r.id`;
      return row as Row;
    };
    /** Reads the calls at the new price and the repricing's own counts in one query: the worker may be running again. */
    const halfWay = async () => {
      const [row] = await sql`
        select r.calls_changed - r.calls_restored as said, (
          select count(*)::int from model_calls m where m.project_id = r.project_id and m.requested_model = 'acme-1'
            and m.cost_total = ((m.usage->>'input_tokens')::numeric + (m.usage->>'output_tokens')::numeric) * 0.7
        ) as repriced, (
          select count(*)::int from repriced_calls c where c.project_id = r.project_id and c.repricing_id = r.id
        ) as evidence
        from repricings r where r.project_id = ${projectId}`;
      return row as Row;
    };
    const sum = async () =>
      (await sql`select trim_scale(sum(cost_total))::text as cost from model_calls where project_id = ${projectId}`)[0]
        ?.cost;

    /** Starts it, kills the worker when one batch is committed and the next is written but not committed, and waits. */
    const killedHalfWay = async (path: string, body: object, ends: string) => {
      await gate.close();
      await post(path, body);
      await expect.poll(gate.waiting, { timeout: WORK_MS }).toBe(1);
      const { examined, changed, restored } = await stored();
      const done = ends === "completed" ? examined : restored;
      expect(done).toBeGreaterThan(0);
      expect(done).toBeLessThan(ends === "completed" ? CALLS : changed);
      const killed = victims.kill("worker");
      expect(killed).toBeDefined();
      expect(await victims.back("worker", killed!)).not.toBeNull();
      await gate.open();
      const { said, repriced, evidence } = await halfWay();
      expect([repriced, evidence]).toEqual([said, said]);
      expect(await miscounted(sql, projectId, false)).toEqual([]);
      // Expires the killed worker's lease instead of waiting for it.
      await sql`update job_runs set lease_until = 0 where project_id = ${projectId} and lease_token is not null`;
      await expect.poll(async () => (await stored()).state, { timeout: WORK_MS }).toBe(ends);
    };
    const atRest = async () => {
      const { jobs, open, miscounted: wrong } = await gather(sql, projectId, { diagnosed: false });
      expect([...open, ...wrong]).toEqual([]);
      expect(jobs.map(({ state }) => state)).not.toContain("failed");
    };

    const changing = CALLS - CALLS / EVERY_OTHER_MODEL;
    const costBefore = await sum();
    await test.step("the repricing changes each call once", async () => {
      await killedHalfWay("repricings", { from: 0, to: Date.now() + 86_400_000 }, "completed");
      expect(await stored()).toEqual({
        state: "completed",
        examined: CALLS,
        changed: changing,
        restored: 0,
        kept: 0,
        costBefore,
        costAfter: await sum(),
        evidence: changing,
        evidenceOnce: changing,
      });
      expect((await halfWay()).repriced).toBe(changing);
      const [earlier] = await sql`
        select count(*)::int as calls from repriced_calls c join model_calls m using (project_id, trace_id, span_id)
        where project_id = ${projectId} and c.cost_total * 7 = m.cost_total`;
      expect(earlier?.calls).toBe(changing);
      await atRest();
    });

    await test.step("the undo restores every cost", async () => {
      const [row] = await sql`select id from repricings where project_id = ${projectId}`;
      await killedHalfWay(`repricings/${row?.id}/undo`, {}, "undone");
      expect(await stored()).toMatchObject({ state: "undone", restored: changing, kept: 0, evidence: 0 });
      expect(differing(before, await storedCosts(sql, projectId))).toEqual([]);
      await atRest();
    });

    expect(differing(theirs, await storedCosts(sql, others.projectId))).toEqual([]);
    expect(await miscounted(sql, others.projectId, false)).toEqual([]);
  } finally {
    await sql.end({ timeout: 1 });
    await product.stop();
  }
});
