import type { SnapshotFeedback } from "@/server/services/telemetry/feedback/schemas";
import type { FailsWhen } from "./schemas";

/** What an evaluator said of a conversation or a turn. */
export type Result = Pick<SnapshotFeedback, "kind" | "value">;

/** Returns whether an evaluator's result fails; `null` for one of another kind, such as a score where labels fail. */
export function fails({ kind, value }: Result, failsWhen: FailsWhen): boolean | null {
  if ("labels" in failsWhen) return kind === "comment" ? failsWhen.labels.includes(String(value)) : null;
  if (typeof value !== "number") return null;
  return "below" in failsWhen ? value < failsWhen.below : value > failsWhen.above;
}
