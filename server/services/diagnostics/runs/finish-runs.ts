import { and, eq, inArray, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { isOneOf } from "@/db/rows";
import { ruleRuns } from "@/db/schema";
import { updateOf } from "@/db/sets";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { lockFindings, recordOccurrences } from "../findings/record-occurrences";
import { queueCollection } from "../queue-collection";
import type { RuleOccurrence } from "../rules";
import { deleteDetections } from "./detections";
import { lockedRuns, type Run, storedError } from "./started-runs";

/** How a Run ends: with what it found, or skipped for a reason. */
export type FinishedRun = { run: Run } & (
  | { found: { occurrences: readonly RuleOccurrence[]; notes: string[]; readUntil: number } }
  | { skipReason: string }
);

/** Completes or skips Runs and records what they found, all in the caller's transaction. */
export async function finishRuns(tx: Ctx, finished: readonly FinishedRun[]) {
  if (finished.length === 0) return;
  const completed = finished.filter((one) => "found" in one);
  await lockFindings(
    tx,
    completed.map(({ run }) => run.ruleId),
  );
  await tx.db.execute(
    lockedRuns(
      tx,
      finished.map(({ run }) => run.id),
    ),
  );
  const rows = finished.map((one) => ({
    id: one.run.id,
    status: "found" in one ? ("completed" as const) : ("skipped" as const),
    attempts: one.run.attempts,
    started_at: one.run.startedAt,
    result_count: "found" in one ? one.found.occurrences.length : null,
    read_until: "found" in one ? one.found.readUntil : null,
    skip_reason: "skipReason" in one ? one.skipReason : null,
    error_message: null,
    notes: "found" in one ? one.found.notes : [],
  }));
  // Before recording results, because each Run is compared with all completed ones, including the others of this batch.
  const finish = updateOf(ruleRuns, rows);
  await tx.db.execute(sql`
    update rule_runs set ${finish.set}, finished_at = ${NOW} from ${finish.rows}
    where rule_runs.project_id = ${tx.projectId} and ${finish.matches}`);
  await recordOccurrences(
    tx,
    completed.map(({ run, found: { occurrences, readUntil } }) => ({
      run,
      conversation: { id: run.conversationId, lastActivityAt: readUntil },
      occurrences,
    })),
  );
  await queueCollection(
    tx,
    finished.map(({ run }) => run.conversationId),
  );
}

/** Marks unfinished Runs as failed. With `preferOwn`, a Run whose last attempt failed retains that error. */
export const failRuleRuns = (ctx: Ctx, runIds: readonly string[], message: string, { preferOwn = false } = {}) =>
  inTransaction(ctx, async (tx) => {
    await tx.db.execute(lockedRuns(tx, runIds));
    const failed = await tx.db
      .update(ruleRuns)
      .set({
        status: "failed",
        errorMessage: preferOwn
          ? sql`coalesce(${ruleRuns.errorMessage}, ${storedError(message)})`
          : storedError(message),
        finishedAt: NOW,
      })
      .where(
        and(
          eq(ruleRuns.projectId, tx.projectId),
          isOneOf(ruleRuns.id, runIds),
          inArray(ruleRuns.status, ["queued", "running"]),
        ),
      )
      .returning({ id: ruleRuns.id });
    await deleteDetections(
      tx,
      failed.map(({ id }) => id),
    );
  });
