import type { z } from "zod";
import type { findings } from "@/db/schema";
import type { updateFindingsInput } from "../schemas";

type Row = typeof findings.$inferSelect;
export type Change = z.output<typeof updateFindingsInput>["set"];

/** What people set, and what follows from it directly. */
export type State = Pick<
  Row,
  | "reviewStatus"
  | "resolutionStatus"
  | "resolvedAt"
  | "regressedAt"
  | "escalatingSince"
  | "dismissedAt"
  | "dismissalReason"
  | "dismissedRate"
  | "pinnedSeverity"
  | "assigneeId"
>;

export const stateOf = ({
  reviewStatus,
  resolutionStatus,
  resolvedAt,
  regressedAt,
  escalatingSince,
  dismissedAt,
  dismissalReason,
  dismissedRate,
  pinnedSeverity,
  assigneeId,
}: State): State => ({
  reviewStatus,
  resolutionStatus,
  resolvedAt,
  regressedAt,
  escalatingSince,
  dismissedAt,
  dismissalReason,
  dismissedRate,
  pinnedSeverity,
  assigneeId,
});

/** Returns a Finding's state after a change at `now` (Unix ms). Pure. */
export function stateAfter(row: Row, change: Change, now: number): State {
  const before = stateOf(row);
  const reviewStatus = change.reviewStatus ?? before.reviewStatus;
  const dismisses = change.reviewStatus === "dismissed";
  const resolutionStatus = dismisses ? null : (change.resolutionStatus ?? before.resolutionStatus);
  const isResolved = resolutionStatus === "resolved";
  return {
    ...before,
    reviewStatus,
    resolutionStatus,
    resolvedAt: isResolved ? (before.resolvedAt ?? now) : null,
    // A regression stays visible until the Finding is resolved or dismissed.
    regressedAt: isResolved || dismisses ? null : before.regressedAt,
    escalatingSince: isResolved || dismisses ? null : before.escalatingSince,
    ...dismissalOf(row, change, now),
    pinnedSeverity: change.severity === undefined ? before.pinnedSeverity : change.severity,
    assigneeId: change.assigneeId === undefined ? before.assigneeId : change.assigneeId,
  };
}

function dismissalOf(row: Row, change: Change, now: number) {
  if (change.reviewStatus === undefined) return {};
  if (change.reviewStatus !== "dismissed") return { dismissedAt: null, dismissalReason: null, dismissedRate: null };
  return {
    dismissedAt: row.reviewStatus === "dismissed" ? (row.dismissedAt ?? now) : now,
    dismissalReason: change.dismissalReason ?? (row.reviewStatus === "dismissed" ? row.dismissalReason : null),
    dismissedRate: change.untilWorse ? row.recentAffected / Math.max(1, row.recentConversations) : null,
  };
}
