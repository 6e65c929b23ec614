import { setTimeout as sleep } from "node:timers/promises";
import { sql } from "drizzle-orm";
import postgres from "postgres";
import { db } from "@/db/pool";
import { conversationMessages, conversations } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { executeRuleRuns } from "@/server/services/diagnostics";
import { recountDueFindings } from "@/server/services/diagnostics/findings/counts/recount-due-findings";
import { placeCausesAgain } from "@/server/services/diagnostics/findings/grouping/place-causes-again";
import { scheduleConversations } from "@/server/services/diagnostics/runs/schedule-inactive-conversations";
import { snapshotFromLabelled } from "./labelled";
import { generateVaried } from "./labelled/generate-varied";
import { cpuOf } from "./lib/cpu";
import { machine } from "./lib/machine";

/**
 * Run by `npm run bench -- stored-findings [conversations] [--at-once]`: stores conversations that have no word in common at 50 a
 * second, and has all Rules read them meanwhile. Prints the queue, and the longest transaction that the database saw. With
 * `--at-once` it waits for no second: the processor time is what versions are compared by beside other work.
 */
const PER_SECOND = 50;
const TICK_MS = 1000;
/** Runs of one batch, as the worker takes them. */
const BATCH = 100;
const SAMPLE_MS = 50;
const TRANSACTION_LONGEST_S = 2;

const atOnce = process.argv.includes("--at-once");
const count = Number(process.argv.slice(2).find((argument) => !argument.startsWith("--")) ?? 10_000);
const begun = performance.now();
const seconds = () => (performance.now() - begun) / 1000;

async function store({ db: on, projectId }: Ctx, some: ReturnType<typeof generateVaried>) {
  const now = Date.now();
  const rows = some.map((one) => ({ id: newId("conv"), messages: snapshotFromLabelled(one).messages }));
  await on.insert(conversations).values(
    rows.map(({ id, messages }) => ({
      ...{ projectId, id, key: `trace:${id}`, messageCount: messages.length },
      ...{ startedAt: now, lastActivityAt: now + messages.length, receivedAt: now },
    })),
  );
  await on.insert(conversationMessages).values(
    rows.flatMap(({ id, messages }) =>
      messages.map(({ role, parts, toolCalls, toolCallId }, position) => ({
        ...{ projectId, conversationId: id, position, role, parts, toolCalls, toolCallId: toolCallId ?? null },
        ...{ spanId: null, at: now + position, digest: String(position) },
      })),
    ),
  );
}

/** Watches how long transactions of this process are open. */
function watchTransactions(stopped: () => boolean) {
  const watcher = postgres(process.env.DATABASE_URL!, { max: 1, onnotice: () => {} });
  const longest = { seconds: 0, query: "" };
  const done = (async () => {
    while (!stopped()) {
      const [row] = await watcher<{ seconds: number; query: string }[]>`
        select extract(epoch from clock_timestamp() - xact_start)::float8 as seconds, left(query, 120) as query
        from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and xact_start is not null
        order by xact_start limit 1`;
      if (row && row.seconds > longest.seconds) Object.assign(longest, row);
      await sleep(SAMPLE_MS);
    }
    await watcher.end();
  })();
  return { longest, done };
}

/** Returns the rows that the database has looked up so far, in millions. */
async function rowsLookedUp() {
  const [row] = await db().execute<{ millions: number }>(sql`
    select tup_fetched / 1e6::float8 as millions from pg_stat_database where datname = current_database()`);
  return row!.millions;
}

async function main() {
  console.log(
    `${machine()}; ${count.toLocaleString("en")} conversations ${atOnce ? "at once" : `at ${PER_SECOND} a second`}`,
  );
  const { ctx } = await testProject();
  const varied = generateVaried(count);
  let [storedAt, finished] = [0, false];
  const watch = watchTransactions(() => finished);

  const storing = (async () => {
    for (let from = 0; from < count; from += PER_SECOND) {
      const due = (from / PER_SECOND) * TICK_MS;
      if (!atOnce) await sleep(Math.max(0, due - (performance.now() - begun)));
      await store(ctx, varied.slice(from, from + PER_SECOND));
      await scheduleConversations(ctx, Date.now() + TICK_MS);
      storedAt = seconds();
    }
  })();
  let isStored = false;
  void storing.then(() => {
    isStored = true;
  });

  let [longestBatch, recounted, printed] = [0, 0, 0];
  for (;;) {
    const queued = await ctx.db.execute<{ id: string }>(sql`
      select id from rule_runs where project_id = ${ctx.projectId} and status = 'queued' order by id limit ${BATCH}`);
    if (queued.length === 0) {
      if (isStored) break;
      await sleep(SAMPLE_MS);
    } else {
      const at = performance.now();
      await executeRuleRuns(
        ctx,
        [...queued].map(({ id }) => id),
      );
      longestBatch = Math.max(longestBatch, (performance.now() - at) / 1000);
    }
    if (seconds() - recounted > 60) {
      recounted = seconds();
      await placeCausesAgain(db());
      await recountDueFindings(db());
    }
    if (seconds() - printed > 20) {
      printed = seconds();
      const [row] = await ctx.db.execute<{ waiting: number; done: number }>(sql`
        select count(*) filter (where status = 'queued')::int as waiting,
          count(*) filter (where status <> 'queued')::int as done
        from rule_runs where project_id = ${ctx.projectId}`);
      console.log(`${seconds().toFixed(0).padStart(5)} s  ${row!.done} Runs done, ${row!.waiting} waiting`);
    }
  }
  await storing;
  const [own, database] = [process.cpuUsage(), cpuOf(process.ppid).database];
  const took = seconds();
  finished = true;
  await watch.done;
  const [found] = await ctx.db.execute<{ findings: number; causes: number; occurrences: number }>(sql`
    select (select count(*)::int from findings where project_id = ${ctx.projectId} and merged_into_id is null) as findings,
      (select count(*)::int from finding_causes where project_id = ${ctx.projectId}) as causes,
      (select count(*)::int from occurrences where project_id = ${ctx.projectId}) as occurrences`);
  console.log(
    `stored in ${storedAt.toFixed(0)} s, all read ${(took - storedAt).toFixed(1)} s later: ${(count / took).toFixed(1)} conversations a second`,
  );
  console.log(`${found!.findings} Findings, ${found!.causes} causes, ${found!.occurrences} occurrences`);
  console.log(
    `longest batch ${longestBatch.toFixed(2)} s; longest transaction ${watch.longest.seconds.toFixed(2)} s (${watch.longest.query.replaceAll(/\s+/g, " ")})`,
  );
  console.log(
    `processor: ${((own.user + own.system) / 1e6).toFixed(1)} s here, ${database.toFixed(1)} s in the database, which looked up ${(await rowsLookedUp()).toFixed(1)} million rows`,
  );
  if (watch.longest.seconds > TRANSACTION_LONGEST_S) process.exitCode = 1;
  process.exit();
}

void main();
