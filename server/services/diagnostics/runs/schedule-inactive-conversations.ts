import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { env } from "@/env";
import { type Ctx, inTransaction, type ProjectId } from "@/server/platform/context";
import { attachOverlooked } from "@/server/services/telemetry";
import { queueCollection } from "../queue-collection";
import { configuredRules } from "../settings/rule-settings";
import { queueRuleRuns } from "./queue-rule-runs";

/** Conversations of one transaction, which keeps transactions short when a project has a backlog. */
const BATCH_SIZE = 200;

/**
 * Queues the enabled Rules for every conversation that has received no spans for `DIAGNOSE_AFTER_QUIET_SECONDS`, in projects
 * where automatic scheduling is on. A conversation that resumes is read again once it is inactive again.
 */
export async function scheduleInactiveConversations(db: Db, at?: number): Promise<{ runs: number }> {
  const quietSince = (at ?? (await databaseNow(db))) - env().DIAGNOSE_AFTER_QUIET_SECONDS * 1000;
  await attachOverlooked(db);
  const projects = await db.execute<{ id: string }>(sql`
    select p.id from projects p left join diagnostic_settings s on s.project_id = p.id
    where coalesce(s.automatic_scheduling_enabled, true)
      and exists (
        select 1 from conversations c
        where c.project_id = p.id and c.diagnosed_received_at is distinct from c.received_at and c.received_at <= ${quietSince}::bigint)
    order by p.id`);

  let runs = 0;
  for (const { id } of projects) {
    const ctx: Ctx = { db, projectId: id as ProjectId, actor: { kind: "job", name: "diagnose-quiet-conversations" } };
    runs += await scheduleConversations(ctx, quietSince);
  }
  return { runs };
}

/** Queues the enabled Rules for a project's conversations that have received no spans since `quietSince` (Unix ms). Returns the number of Runs. */
export async function scheduleConversations(ctx: Ctx, quietSince: number): Promise<number> {
  let runs = 0;
  for (let taken = BATCH_SIZE; taken === BATCH_SIZE; ) {
    const some = await scheduleSome(ctx, quietSince);
    taken = some.conversations;
    runs += some.runs;
  }
  return runs;
}

const scheduleSome = (ctx: Ctx, quietSince: number) =>
  inTransaction(ctx, async (tx) => {
    const quiet = await tx.db.execute<{ id: string; last_activity_at: string }>(sql`
      update conversations c set diagnosed_received_at = c.received_at
      from (
        select id from conversations
        where project_id = ${tx.projectId} and diagnosed_received_at is distinct from received_at
          and received_at <= ${quietSince}::bigint
        order by received_at limit ${BATCH_SIZE} for update skip locked
      ) q
      where c.project_id = ${tx.projectId} and c.id = q.id
      returning c.id, c.last_activity_at`);
    if (quiet.length === 0) return { conversations: 0, runs: 0 };
    const rules = (await configuredRules(tx)).filter(({ enabled }) => enabled);
    const snapshots = [...quiet].map((row) => ({
      conversationId: row.id,
      lastActivityAt: Number(row.last_activity_at),
      traceIds: [],
    }));
    const queued = await queueRuleRuns(tx, snapshots, rules, { origin: "automatic", again: true });
    // Conversations without any Run, because every Rule is turned off, are queued too.
    await queueCollection(
      tx,
      snapshots.map(({ conversationId }) => conversationId),
    );
    return { conversations: quiet.length, runs: queued.length };
  });
