import type { Ctx } from "@/server/platform/context";
import { inPieces, type Snapshot, snapshotLengths } from "@/server/services/telemetry";
import { type DiagnosedSnapshot, snapshotsWithBaseline } from "../baselines/snapshots-with-baseline";

/** `count` conversations: those that were read whole, except any that are gone, and those to be read in windows. */
type Piece = {
  count: number;
  whole: readonly DiagnosedSnapshot[];
  long: readonly { snapshot: Snapshot; startedAt: number }[];
};

/** Yields whole conversations, as many at a time as fit into memory, until `end` (of `performance.now()`). */
export async function* readInPieces(
  ctx: Ctx,
  page: readonly { id: string; lastActivityAt: number }[],
  end: number,
): AsyncGenerator<Piece> {
  const wanted = page.map(({ id, lastActivityAt }) => ({ conversationId: id, lastActivityAt, traceIds: [] }));
  const lengths = await snapshotLengths(ctx, wanted);
  for (const piece of inPieces([...wanted.entries()], ([nth]) => lengths[nth]?.messages ?? 0)) {
    if (performance.now() >= end) return;
    const short = piece.flatMap(([nth, snapshot]) => (lengths[nth]?.isLong ? [] : [snapshot]));
    const read = await snapshotsWithBaseline(ctx, short);
    const long = piece.flatMap(([nth, snapshot]) => {
      const length = lengths[nth];
      return length?.isLong ? [{ snapshot, startedAt: length.startedAt }] : [];
    });
    yield { count: piece.length, whole: read.filter((one) => one !== undefined), long };
  }
}
