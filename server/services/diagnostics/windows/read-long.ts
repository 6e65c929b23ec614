import type { Ctx } from "@/server/platform/context";
import {
  readAround,
  readWindows,
  type Snapshot,
  type SnapshotContent,
  type WindowSize,
} from "@/server/services/telemetry";
import { isAdjudication } from "../adjudicator";
import { baselineOf } from "../baselines/snapshots-with-baseline";
import { withAssumedScale } from "../detectors/user-dissatisfaction/share-of-scale";
import type { Candidate, RuleOccurrence } from "../rules";
import { type Asked, type Found, WindowedReading } from "./window-signals";

export type LongReading = {
  conversation: Pick<SnapshotContent, "id" | "lastActivityAt" | "unknownTraceIds"> & { messageCount: number };
  /** Whether it is a question to this project's adjudicator, which is never diagnosed. */
  isAdjudication: boolean;
  /** What each of the Rules asked found, before thresholds. */
  found: readonly Found[];
};

/**
 * Reads a whole conversation in windows, for several Rules at once; only one window is in memory at a time. Returns
 * `undefined` if it now has more activity than the snapshot.
 */
export async function readLong(
  ctx: Ctx,
  { snapshot, startedAt, asked, size }: LongRead,
): Promise<LongReading | undefined> {
  // Before the transaction, which is read-only, because this may store a baseline.
  const baseline = await baselineOf(ctx, startedAt);
  return readWindows(
    ctx,
    snapshot,
    async (windows) => {
      const reading = new WindowedReading(asked);
      let read: Omit<LongReading, "found"> | undefined;
      for await (const window of windows) {
        const { owns, nextFrom, isLast, callPositions, allFeedback, positions, unknownTraceIds, ...content } = window;
        const { id, lastActivityAt } = content;
        const isOwn = isAdjudication(ctx.projectId, content);
        read = { conversation: { id, lastActivityAt, unknownTraceIds, messageCount: owns.to }, isAdjudication: isOwn };
        if (isOwn) return { ...read, found: [] };
        const feedback = content.feedback.map((one) => withAssumedScale(one, allFeedback));
        reading.add({
          conversation: { ...content, feedback, baseline },
          ...{ owns, nextFrom, isLast, callPositions, positions },
        });
      }
      return read && { ...read, found: reading.finish() };
    },
    size,
  );
}

export type LongRead = {
  snapshot: Snapshot;
  startedAt: number;
  asked: readonly Asked[];
  size?: WindowSize | undefined;
};

/** Returns what a Rule found, or throws the error with which it failed; nothing if it was not asked. */
export function signalsFound(found: Found | undefined): readonly RuleOccurrence[] {
  if (found && "error" in found) throw found.error;
  return found?.signals ?? [];
}

/** Messages on either side of evidence: more than a question shows. */
const AROUND = 100;

/**
 * Returns the messages of a long conversation around a Signal's evidence, and the Signal with its evidence in these;
 * `undefined` if the snapshot is no longer the whole conversation.
 */
export async function readExcerpt(
  ctx: Ctx,
  snapshot: Snapshot,
  candidate: Candidate,
): Promise<{ candidate: Candidate; conversation: SnapshotContent } | undefined> {
  const pointed = candidate.evidence.flatMap(({ messageIndex }) => messageIndex ?? []);
  const conversation = await readAround(ctx, snapshot, pointed, AROUND);
  if (!conversation) return undefined;
  const indexOf = new Map(conversation.positions.map((position, index) => [position, index]));
  const evidence = candidate.evidence.map((one) => ({ ...one, messageIndex: indexOf.get(one.messageIndex) ?? null }));
  return { candidate: { ...candidate, evidence }, conversation };
}
