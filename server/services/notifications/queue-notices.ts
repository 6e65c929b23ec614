import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { textArray } from "@/db/rows";
import { notices } from "@/db/schema";
import { insertRows } from "@/db/sets";
import { severityRank } from "@/db/severity-rank";
import { type Ctx, inTransaction, type ProjectId } from "@/server/platform/context";
import { DAY_MS, HOUR_MS } from "@/server/platform/durations";
import { newId } from "@/server/platform/ids";
import { deliveryQueued } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import type { NoticeKind } from "./schemas";

/** Maximum individual messages per connection and hour; any more are combined into digests. */
const SINGLE_MESSAGES_PER_HOUR = 5;
const DIGEST_INTERVAL_MS = 15 * 60_000;
/** A new Finding that reaches a rule's number of conversations later than this is not announced as new. */
const EVENT_WINDOW_MS = 7 * DAY_MS;
/** Maximum notices per pass; the rest follow in the next one. */
const NOTICES_PER_PASS = 1000;

/** The kind that an event is announced as. A Finding dismissed until it gets worse returns because it has escalated. */
const KIND = sql`(case e.kind when 'created' then 'new' when 'returned' then 'escalating' else e.kind end)`;

/**
 * Queues a message for each event of a Finding that a notification rule announces, unless its connection has already been
 * notified.
 */
export async function queueNotices(db: Db): Promise<{ deliveries: number }> {
  const projects = await db.execute<{ id: string }>(
    sql`select distinct project_id as id from notification_rules where enabled order by 1`,
  );
  let deliveries = 0;
  for (const { id } of projects) {
    const ctx: Ctx = { db, projectId: id as ProjectId, actor: { kind: "job", name: "queue-notices" } };
    deliveries += await inTransaction(ctx, queueOfProject);
  }
  return { deliveries };
}

async function queueOfProject(tx: Ctx): Promise<number> {
  // Serializes passes, so that two cannot both start a digest.
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`notices ${tx.projectId}`}, 0))`);
  await addNotices(tx);
  const waiting = await tx.db.execute<{ id: string; connection_id: string; recent: number; digest_due: boolean }>(sql`
    select n.id, n.connection_id, s.recent, s.newest is null or s.newest <= ${NOW} - ${DIGEST_INTERVAL_MS}::bigint as digest_due
    from notices n
    left join lateral (
      select count(*)::int as recent, max(d.created_at) as newest from deliveries d
      where d.project_id = n.project_id and d.connection_id = n.connection_id
        and d.created_at > ${NOW} - ${HOUR_MS}::bigint) s on true
    where n.project_id = ${tx.projectId} and n.delivery_id is null
      and not exists (
        select 1 from connections c
        where c.project_id = n.project_id and c.id = n.connection_id and c.paused_at is not null)
    order by n.connection_id, n.created_at, n.id limit ${NOTICES_PER_PASS}`);
  let deliveries = 0;
  for (const connectionId of new Set([...waiting].map((row) => row.connection_id))) {
    const rows = waiting.filter((row) => row.connection_id === connectionId);
    const { recent, digest_due: digestDue } = rows[0]!;
    const ids = rows.map((row) => row.id);
    if (recent + ids.length <= SINGLE_MESSAGES_PER_HOUR) {
      for (const id of ids) await createDelivery(tx, connectionId, [id]);
      deliveries += ids.length;
    } else if (digestDue) {
      await createDelivery(tx, connectionId, ids);
      deliveries += 1;
    }
  }
  return deliveries;
}

type NewNotice = { connection_id: string; finding_id: string; finding_event_id: string; kind: NoticeKind };

/** Adds a notice for each event that an enabled rule announces, unless its connection already has one. */
async function addNotices(tx: Ctx) {
  const found = await tx.db.execute<NewNotice>(sql`
    select distinct r.connection_id, e.finding_id, e.id as finding_event_id, ${KIND} as kind
    from notification_rules r
    join finding_events e on e.project_id = r.project_id
      and e.at >= greatest(r.created_at, ${NOW} - ${EVENT_WINDOW_MS}::bigint)
      and ${KIND} = any(r.kinds)
    join findings f on f.project_id = e.project_id and f.id = e.finding_id
    where r.project_id = ${tx.projectId} and r.enabled and e.kind in ('created', 'returned', 'regressed', 'escalating')
      and e.origin is distinct from 'backfill'
      and f.review_status <> 'dismissed' and f.resolution_status is distinct from 'resolved'
      and ${severityRank(sql`f.severity`)} <= ${severityRank(sql`r.min_severity`)}
      and (r.rule_ids = '{}' or f.rule_id = any(r.rule_ids))
      and (e.kind <> 'created' or f.occurrence_count >= r.min_conversations)
      and not exists (
        select 1 from notices n
        where n.project_id = r.project_id and n.connection_id = r.connection_id and n.finding_event_id = e.id)
    limit ${NOTICES_PER_PASS}`);
  await insertRows(tx.db, notices, {
    same: { project_id: tx.projectId },
    rows: [...found].map((row) => ({ id: newId("ntc"), ...row })),
    left: ["delivery_id", "created_at"],
    onConflict: "nothing",
  });
}

async function createDelivery(tx: Ctx, connectionId: string, noticeIds: readonly string[]) {
  const id = newId("dlv");
  await tx.db.execute(sql`
    with numbered as (
      update connections set last_sequence = last_sequence + 1
      where project_id = ${tx.projectId} and id = ${connectionId} returning last_sequence)
    insert into deliveries (project_id, id, connection_id, sequence, notice_count, state)
    select ${tx.projectId}, ${id}, ${connectionId}, last_sequence, ${noticeIds.length}, 'queued' from numbered`);
  await tx.db.execute(sql`
    update notices set delivery_id = ${id} where project_id = ${tx.projectId} and id = any(${textArray(noticeIds)})`);
  await emit(tx.db, deliveryQueued.create({ projectId: tx.projectId, deliveryId: id }));
}
