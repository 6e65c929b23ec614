import { sql } from "drizzle-orm";
import type { evaluators } from "@/db/schema";
import type { FailsWhen } from "./schemas";

type Stored = Pick<typeof evaluators.$inferSelect, "failsBelow" | "failsAbove" | "failingLabels">;

/** Returns what is stored as the interface says it. */
export function failsWhenOf({ failsBelow, failsAbove, failingLabels }: Stored): FailsWhen | null {
  if (failsBelow !== null) return { below: failsBelow };
  if (failsAbove !== null) return { above: failsAbove };
  return failingLabels && { labels: failingLabels };
}

/** Returns the columns of what the interface says. */
export const storedAs = (given: FailsWhen): Stored => ({
  failsBelow: "below" in given ? given.below : null,
  failsAbove: "above" in given ? given.above : null,
  failingLabels: "labels" in given ? given.labels : null,
});

/** Condition on feedback `f` that it is a result of the project's evaluator. */
export const isResult = (projectId: string) =>
  sql`f.project_id = ${projectId} and f.name is not null and not f.given_by_user`;
