import type { Ctx } from "@/server/platform/context";
import type { Snapshot } from "@/server/services/telemetry";
import { type DiagnosedSnapshot, snapshotsWithBaseline } from "../baselines/snapshots-with-baseline";

type Wanted = Snapshot & { tracesKey: string };

/** Identifies a snapshot among Runs. */
export const keyOfSnapshot = ({ conversationId, lastActivityAt, tracesKey }: Wanted) =>
  `${conversationId} ${lastActivityAt} ${tracesKey}`;

/** Loads each snapshot once, however many Rules read it. */
export async function loadSnapshots(
  ctx: Ctx,
  runs: readonly Wanted[],
): Promise<(run: Wanted) => DiagnosedSnapshot | undefined> {
  const wanted = new Map(runs.map((run) => [keyOfSnapshot(run), run]));
  const read = await snapshotsWithBaseline(ctx, [...wanted.values()]);
  const byKey = new Map([...wanted.keys()].map((key, index) => [key, read[index]]));
  return (run) => byKey.get(keyOfSnapshot(run));
}
