import { and, eq, gte, ilike, inArray, isNotNull, isNull, lt, ne, or, type SQL, sql } from "drizzle-orm";
import { containing } from "@/db/like";
import { NOW } from "@/db/now";
import { findings, occurrences } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { unprocessable } from "@/server/platform/errors";
import { conversationIdsMatching } from "@/server/services/telemetry";
import { FINDING_ALERTS, type FindingFilters } from "./schemas";

/** A Finding is new for this long after it was created. */
const NEW_MS = 7 * 24 * 60 * 60 * 1000;

/** Whether a Finding is neither merged away nor kept only for the causes that a person placed there. */
const isListed = and(
  isNull(findings.mergedIntoId),
  or(sql`${findings.occurrenceCount} > 0`, ne(findings.reviewStatus, "unreviewed")),
);

/** Returns the condition of the Findings that match a list's filters. */
export const matchingFindings = (ctx: Ctx, filters: FindingFilters) =>
  and(
    eq(findings.projectId, ctx.projectId),
    isListed,
    filters.reviewStatus && inArray(findings.reviewStatus, filters.reviewStatus),
    filters.resolutionStatus && resolvedAs(filters.resolutionStatus),
    filters.severity && eq(findings.severity, filters.severity),
    filters.minDiagnosticScore === undefined ? undefined : gte(findings.diagnosticScore, filters.minDiagnosticScore),
    filters.lastDetectedAfter === undefined ? undefined : gte(findings.lastDetectedAt, filters.lastDetectedAfter),
    filters.lastDetectedBefore === undefined ? undefined : lt(findings.lastDetectedAt, filters.lastDetectedBefore),
    filters.trend && TREND[filters.trend],
    filters.assignee === undefined ? undefined : assignedTo(ctx, filters.assignee),
    filters.ruleId === undefined ? undefined : withCause(sql`c.rule_id = ${filters.ruleId}`),
    filters.signal === undefined ? undefined : withCause(sql`c.signal = ${filters.signal}`),
    filters.q === undefined ? undefined : ilike(findings.title, containing(filters.q)),
    filters.event === undefined && filters.eventAfter === undefined
      ? undefined
      : sql`${findings.id} = any(array(
          select e.finding_id from finding_events e
          where e.project_id = ${ctx.projectId} and ${isAlert}
            ${filters.event === undefined ? sql`` : sql`and e.kind = ${filters.event}`}
            and e.at >= ${filters.eventAfter ?? 0}::bigint))`,
    filters.conversationId === undefined
      ? undefined
      : sql`${findings.id} = any(array(
          select ${occurrences.findingId} from ${occurrences}
          where ${occurrences.projectId} = ${ctx.projectId}
            and ${occurrences.conversationId} = any(${conversationIdsMatching(ctx.projectId, filters.conversationId)})))`,
  );

/** Condition on an event `e`, as text: the index of these events is partial. */
export const isAlert = sql.raw(`e.kind in (${FINDING_ALERTS.map((kind) => `'${kind}'`).join(", ")})`);

/** A Finding may have causes of several Signals: it is named by one, and the others are its evidence. */
const withCause = (which: SQL) => sql`exists (
  select 1 from finding_causes c
  where c.project_id = ${findings.projectId} and c.finding_id = ${findings.id} and ${which})`;

const resolvedAs = (wanted: NonNullable<FindingFilters["resolutionStatus"]>) =>
  or(...wanted.map((one) => (one === "none" ? isNull(findings.resolutionStatus) : eq(findings.resolutionStatus, one))));

const calm = and(isNull(findings.escalatingSince), isNull(findings.regressedAt));
const TREND = {
  escalating: isNotNull(findings.escalatingSince),
  regressed: isNotNull(findings.regressedAt),
  new: and(calm, sql`${findings.createdAt} >= ${NOW} - ${NEW_MS}::bigint`),
  ongoing: and(calm, sql`${findings.createdAt} < ${NOW} - ${NEW_MS}::bigint`),
};

function assignedTo(ctx: Ctx, assignee: string) {
  if (assignee === "none") return isNull(findings.assigneeId);
  if (assignee !== "me") return eq(findings.assigneeId, assignee);
  if (ctx.actor.kind !== "user") throw unprocessable("/assignee", "“me” requires a signed-in person.");
  return eq(findings.assigneeId, ctx.actor.userId);
}

/** Returns a Finding's trend, as defined by the filter of that name, at `now` (Unix ms). */
export function trendOf(
  row: Pick<typeof findings.$inferSelect, "escalatingSince" | "regressedAt" | "createdAt">,
  now: number,
) {
  if (row.escalatingSince !== null) return "escalating";
  if (row.regressedAt !== null) return "regressed";
  return row.createdAt >= now - NEW_MS ? "new" : "ongoing";
}
