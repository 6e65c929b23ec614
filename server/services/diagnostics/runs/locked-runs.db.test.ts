import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { asOwner } from "@/db/testing/as-owner";
import { testProject } from "@/db/testing/test-project";
import { findConversation } from "@/server/services/telemetry";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";
import { createRuleRuns, executeRuleRuns } from "..";
import { failRuleRuns } from "./finish-runs";
import { startRuns } from "./started-runs";

const waiting = async () => {
  const [row] = await asOwner((owner) =>
    owner.execute<{ count: number }>(sql`
      select count(*)::int as count from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`),
  );
  return row?.count;
};

/** Creates a project with queued Runs that a table scan finds in descending order of their ids. */
async function projectWithRuns() {
  const { ctx } = await testProject();
  const attributes = { "gen_ai.conversation.id": "chat-1" };
  await ingest(ctx, [chatSpan({ traceId: "a".repeat(32), spanId: "b".repeat(16), attributes }, { output: "Yes." })]);
  const { lastActivityAt } = await findConversation(ctx, "chat-1");
  const { runs } = await createRuleRuns(ctx, { conversationId: "chat-1", lastActivityAt });
  const ids = runs.map(({ id }) => id).sort();
  for (const id of ids.toReversed()) await db().execute(sql`update rule_runs set attempts = attempts where id = ${id}`);
  return { ctx, ids };
}

const lock = (tx: Db, id: string, how = sql``) =>
  tx.execute(sql`select id from rule_runs where id = ${id} for no key update ${how}`);

test.for(["started", "failed"] as const)("Runs that are %s are locked in the order of their ids", async (change) => {
  const { ctx, ids } = await projectWithRuns();
  let changed: Promise<unknown> | undefined;
  await db().transaction(async (first) => {
    await lock(first, ids[0]!);
    changed = change === "started" ? startRuns(ctx, ids) : failRuleRuns(ctx, ids, "It failed.");
    await expect.poll(waiting).toBe(1);
    // It waits for the first and has not locked any of the others yet.
    for (const id of ids.slice(1)) {
      await db().transaction(async (other) => expect(await lock(other, id, sql`nowait`)).toHaveLength(1));
    }
  });
  await changed;
});

test("two processes that execute the same Runs at the same time complete all of them", async () => {
  const { ctx, ids } = await projectWithRuns();
  await Promise.all([executeRuleRuns(ctx, ids), executeRuleRuns(ctx, ids.toReversed())]);
  const left = await db().execute(sql`
    select 1 from rule_runs where project_id = ${ctx.projectId} and status not in ('completed', 'skipped')`);
  expect(left).toHaveLength(0);
});
