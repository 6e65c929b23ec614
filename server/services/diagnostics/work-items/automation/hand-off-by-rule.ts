import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { handoffRules } from "@/db/schema";
import { severityRank } from "@/db/severity-rank";
import { type Ctx, inTransaction, type ProjectId } from "@/server/platform/context";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { trackerConnections } from "@/server/services/connections";
import { insertWorkItem } from "../insert-work-item";
import { linkedItem, lockFinding } from "../rows";
import { usedToday } from "./handoff-rules";

type Rule = typeof handoffRules.$inferSelect & { left: number };

/** Hands off the new Findings that meet an enabled rule, within its daily limit. Jobs create the tickets. */
export async function handOffByRules(db: Db): Promise<{ handedOff: number }> {
  const projects = await db.execute<{ id: string }>(
    sql`select distinct project_id as id from handoff_rules where enabled order by 1`,
  );
  let handedOff = 0;
  for (const { id } of projects) {
    const ctx: Ctx = { db, projectId: id as ProjectId, actor: { kind: "job", name: "hand-off-by-rule" } };
    try {
      handedOff += await inTransaction(ctx, handOffOfProject);
    } catch (error) {
      // One project's failure must not hold up the rules of the others.
      logger("work-items").error({ err: loggable(error), projectId: id }, "Handing off by rule failed.");
    }
  }
  return { handedOff };
}

async function handOffOfProject(tx: Ctx): Promise<number> {
  // One pass at a time, so that two cannot both use the last ticket of a daily limit.
  await tx.db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`handoffs ${tx.projectId}`}, 0))`);
  const rules = await tx.db
    .select({ rule: handoffRules, used: usedToday() })
    .from(handoffRules)
    .where(sql`${handoffRules.projectId} = ${tx.projectId} and ${handoffRules.enabled}`)
    .orderBy(handoffRules.createdAt, handoffRules.id);
  const connections = new Map((await trackerConnections(tx)).map((connection) => [connection.id, connection]));
  let handedOff = 0;
  for (const { rule, used } of rules) {
    const connection = connections.get(rule.connectionId);
    const destination = rule.destination ?? connection?.settings.defaultDestination ?? null;
    if (connection === undefined || destination === null) continue;
    for (const findingId of await dueFindings(tx, { ...rule, left: rule.dailyLimit - used })) {
      await lockFinding(tx, findingId);
      if (await linkedItem(tx, findingId)) continue;
      const { connectionId, id: handoffRuleId } = rule;
      await insertWorkItem(
        tx,
        { findingId, provider: connection.kind, connectionId, destination, handoffRuleId },
        { leased: false },
      );
      handedOff += 1;
    }
  }
  return handedOff;
}

/** Returns Findings that never had a work item: those that a person abandoned are not handed off again. */
async function dueFindings(tx: Ctx, rule: Rule): Promise<string[]> {
  if (rule.left <= 0) return [];
  const rows = await tx.db.execute<{ id: string }>(sql`
    select f.id from findings f
    where f.project_id = ${tx.projectId} and f.merged_into_id is null and f.created_at >= ${rule.createdAt}::bigint
      and f.review_status ${rule.confirmedOnly ? sql`= 'confirmed'` : sql`<> 'dismissed'`}
      and f.resolution_status is distinct from 'resolved'
      and ${severityRank(sql`f.severity`)} <= ${severityRank(sql`${rule.minSeverity}::text`)}
      and f.occurrence_count >= ${rule.minConversations}
      and (${sql.param(rule.ruleIds)}::text[] = '{}' or f.rule_id = any(${sql.param(rule.ruleIds)}::text[]))
      and not exists (select 1 from work_items w where w.project_id = f.project_id and w.finding_id = f.id)
      and exists (
        select 1 from occurrences o
        join rule_runs r on r.project_id = o.project_id and r.id = o.rule_run_id
        where o.project_id = f.project_id and o.finding_id = f.id and r.origin <> 'backfill')
    order by f.created_at, f.id limit ${rule.left}`);
  return [...rows].map(({ id }) => id);
}
