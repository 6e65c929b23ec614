import { type Ctx, inTransaction } from "@/server/platform/context";
import { type DetectedRun, deleteDetections, readDetections } from "./detections";
import { finishRuns } from "./finish-runs";
import { isolateFailures } from "./isolate-failures";
import { noteFailures } from "./note-failures";

/**
 * Completes Runs with the detections that they stored, and records what they found. What is still undecided keeps the
 * deterministic verdict: it is dropped. A Run that fails does not fail the others; throws if every one does.
 */
export async function recordRuleRuns(
  ctx: Ctx,
  runIds: readonly string[],
): Promise<{ finished: number; failed: string[] }> {
  if (runIds.length === 0) return { finished: 0, failed: [] };
  const detected = await readDetections(ctx, runIds);
  const { failures } = await isolateFailures(detected, (some) => recordSome(ctx, some));
  await noteFailures(
    ctx,
    failures.map(({ item: { run }, error }) => ({ run, error })),
    { succeeded: detected.length - failures.length },
  );
  return { finished: detected.length - failures.length, failed: failures.map(({ item }) => item.run.id) };
}

async function recordSome(ctx: Ctx, detected: readonly DetectedRun[]): Promise<[]> {
  await inTransaction(ctx, async (tx) => {
    await finishRuns(
      tx,
      detected.map(({ run, detection: { occurrences, notes, readUntil, skipReason } }) =>
        skipReason === undefined ? { run, found: { occurrences, notes, readUntil } } : { run, skipReason },
      ),
    );
    await deleteDetections(
      tx,
      detected.map(({ run }) => run.id),
    );
  });
  return [];
}
