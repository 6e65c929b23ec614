import { eq, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { isOneOf } from "@/db/rows";
import { findings, memberships } from "@/db/schema";
import { updateOf } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { notFound, notFoundAmong, unprocessable } from "@/server/platform/errors";
import { followResolutions } from "../../fixes/resolution-fixes";
import { diagnosticScoreOf } from "../../rules";
import { updateConversationCounts } from "../counts/conversation-counts";
import { type FindingEventKind, type NewFindingEvent, recordEvents } from "../finding-events";
import { type Change, type State, stateAfter, stateOf } from "./finding-state";
import { rescoreReviewed } from "./rescore-reviewed";

/** Which event records which fields. Dismissing clears the resolution, so its event records both. */
const FIELDS: readonly { kind: (after: State) => FindingEventKind; fields: readonly (keyof State)[] }[] = [
  {
    kind: (after) => (after.reviewStatus === "dismissed" ? "dismissed" : "reviewed"),
    fields: ["reviewStatus", "dismissedAt", "dismissalReason", "dismissedRate"],
  },
  {
    kind: (after) => (after.resolutionStatus === "resolved" ? "resolved" : "reopened"),
    fields: ["resolutionStatus", "resolvedAt", "regressedAt", "escalatingSince"],
  },
  { kind: () => "severity", fields: ["pinnedSeverity"] },
  { kind: () => "assignee", fields: ["assigneeId"] },
];

/**
 * `fromTracker`: it comes from their tickets, which are not updated then. `at`: when it happened, if not now (Unix ms).
 * `gone`: what to do with ids that match no Finding; by default a 404, which names them if their path in the input is given.
 */
type Options = { fromTracker?: boolean; at?: number; gone?: "refuse" | "skip" | { listedAt: string } };

/**
 * Applies a change to Findings, with history. Returns the ids of those that it changed.
 */
export async function changeFindings(
  tx: Ctx,
  ids: readonly string[],
  input: Change,
  changeId: string,
  { fromTracker = false, at, gone = "refuse" }: Options = {},
): Promise<string[]> {
  const change = input.assigneeId ? { ...input, assigneeId: await requireMember(tx, input.assigneeId) } : input;
  const rows = await lockFindingRows(tx, ids);
  if (gone !== "skip" && rows.length < new Set(ids).size) {
    if (gone === "refuse") throw notFound("Finding");
    throw notFoundAmong("A Finding", gone.listedAt, ids, new Set(rows.map(({ id }) => id)));
  }
  const [clock] = await tx.db.execute<{ now: string }>(sql`select ${NOW} as now`);
  const changed = rows.flatMap((row) => {
    const before = stateOf(row);
    const after = stateAfter(row, change, at ?? Number(clock!.now));
    const events = eventsOf(row.id, before, after);
    return events.length === 0 ? [] : [{ row, before, after, events }];
  });
  await writeStates(
    tx,
    changed.map(({ row, after }) => ({ row, state: after })),
  );
  await recordEvents(
    tx,
    changed.flatMap(({ events }) => events),
    { changeId, fromTracker, at },
  );
  return changed.map(({ row }) => row.id);
}

export type FindingRow = typeof findings.$inferSelect;

/** Locks Findings in a fixed order and returns them; merged ones are left out. */
export const lockFindingRows = (tx: Ctx, ids: readonly string[]): Promise<FindingRow[]> =>
  tx.db
    .select()
    .from(findings)
    .where(sql`${eq(findings.projectId, tx.projectId)} and ${isOneOf(findings.id, ids)} and merged_into_id is null`)
    .orderBy(findings.id)
    .for("update");

/** Writes states, and what depends on them: severity, score, and the number of Findings on conversations. */
export async function writeStates(tx: Ctx, changed: readonly { row: FindingRow; state: State }[]) {
  if (changed.length === 0) return;
  const rows = changed.map(({ row, state }) => {
    const severity = state.pinnedSeverity ?? row.detectedSeverity;
    const { score, parts } = diagnosticScoreOf({ ...row.diagnosticScoreParts, severity });
    return {
      id: row.id,
      review_status: state.reviewStatus,
      resolution_status: state.resolutionStatus,
      resolved_at: state.resolvedAt,
      regressed_at: state.regressedAt,
      escalating_since: state.escalatingSince,
      dismissed_at: state.dismissedAt,
      dismissal_reason: state.dismissalReason,
      dismissed_rate: state.dismissedRate,
      pinned_severity: state.pinnedSeverity,
      assignee_id: state.assigneeId,
      severity,
      diagnostic_score: score,
      diagnostic_score_parts: parts,
    };
  });
  const update = updateOf(findings, rows);
  await tx.db.execute(sql`
    update findings set ${update.set}, updated_at = ${NOW} from ${update.rows}
    where findings.project_id = ${tx.projectId} and ${update.matches}`);
  await followResolutions(
    tx,
    changed.map(({ row, state }) => ({ before: row, after: state.resolvedAt })),
  );
  const judgedAnew = changed.filter(
    ({ row, state }) => row.reviewStatus !== state.reviewStatus || row.dismissalReason !== state.dismissalReason,
  );
  if (judgedAnew.length > 0) {
    await rescoreReviewed(
      tx,
      judgedAnew.map(({ row }) => row),
    );
  }
  const shownElsewhere = changed.filter(
    ({ row, state }) => (row.reviewStatus === "dismissed") !== (state.reviewStatus === "dismissed"),
  );
  if (shownElsewhere.length > 0) {
    await updateConversationCounts(
      tx,
      shownElsewhere.map(({ row }) => row.id),
    );
  }
}

function eventsOf(findingId: string, before: State, after: State): NewFindingEvent[] {
  const differs = (field: keyof State) => before[field] !== after[field];
  const dismisses = after.reviewStatus === "dismissed" && differs("reviewStatus");
  const groups = dismisses
    ? [{ kind: FIELDS[0]!.kind, fields: [...FIELDS[0]!.fields, ...FIELDS[1]!.fields] }, ...FIELDS.slice(2)]
    : FIELDS;
  return groups.flatMap(({ kind, fields }) => {
    const changed = fields.filter(differs);
    if (changed.length === 0) return [];
    const of = (state: State) => Object.fromEntries(changed.map((field) => [field, state[field]]));
    return [{ findingId, kind: kind(after), detail: { before: of(before), after: of(after) } }];
  });
}

async function requireMember(tx: Ctx, input: string): Promise<string> {
  const userId = input === "me" && tx.actor.kind === "user" ? tx.actor.userId : input;
  const [member] = await tx.db
    .select({ userId: memberships.userId })
    .from(memberships)
    .where(sql`${eq(memberships.projectId, tx.projectId)} and ${eq(memberships.userId, userId)}`);
  if (!member) throw unprocessable("/assigneeId", "No member of the project has this id.");
  return userId;
}
