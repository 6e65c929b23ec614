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
import { type ConfiguredRule, type Found, WindowedReading } from "./window-signals";

export type LongReading = {
  conversation: Pick<SnapshotContent, "id" | "lastActivityAt" | "unknownTraceIds" | "positions"> & {
    messageCount: number;
  };
  /** Whether it has neither messages nor calls. */
  isEmpty: boolean;
  /** Whether it is a question to this project's adjudicator, which is never diagnosed. */
  isAdjudication: boolean;
  /** What each of the Rules asked found, before thresholds, with evidence by index in the snapshot. */
  found: readonly Found[];
};

/**
 * Reads a snapshot in windows, for several Rules at once; only one window is in memory at a time. Returns `undefined` if the
 * conversation no longer exists.
 */
export async function readLong(
  ctx: Ctx,
  { snapshot, startedAt, rules, size }: LongRead,
): Promise<LongReading | undefined> {
  // Before the transaction, which is read-only, because this may store a baseline.
  const baseline = await baselineOf(ctx, startedAt);
  return readWindows(
    ctx,
    snapshot,
    async (windows) => {
      const reading = new WindowedReading(rules);
      let read: Omit<LongReading, "found"> | undefined;
      let isEmpty = true;
      for await (const window of windows) {
        const { indices, owns, nextFrom, isLast, callIndices, allFeedback, allPositions, ...content } = window;
        const { id, lastActivityAt, unknownTraceIds, messages, modelCalls, toolCalls } = content;
        const isOwn = isAdjudication(ctx.projectId, content);
        isEmpty &&= messages.length + modelCalls.length + toolCalls.length === 0;
        const conversation = { id, lastActivityAt, unknownTraceIds, positions: allPositions, messageCount: owns.to };
        read = { conversation, isEmpty, isAdjudication: isOwn };
        if (isOwn) return { ...read, found: [] };
        const feedback = content.feedback.map((one) => withAssumedScale(one, allFeedback));
        reading.add({
          conversation: { ...content, feedback, baseline },
          ...{ owns, nextFrom, isLast, positions: indices, callPositions: callIndices },
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
  rules: readonly ConfiguredRule[];
  size?: WindowSize | undefined;
};

/** Returns what a Rule found, or throws the error with which it failed; nothing if it was not asked. */
export function signalsFound(found: Found | undefined): readonly RuleOccurrence[] {
  if (found && "error" in found) throw found.error;
  return found?.signals ?? [];
}

/** Messages on either side of evidence: more than a question shows. */
const AROUND = 100;

/** Candidates with their evidence in `conversation`: the messages of a snapshot around all of it. */
export type Excerpt = { candidates: readonly Candidate[]; conversation: SnapshotContent };

/**
 * Returns the messages of a long conversation around the evidence of these Signals, and the Signals with their evidence in
 * these; `undefined` if the conversation no longer exists.
 */
export async function readExcerpt(
  ctx: Ctx,
  snapshot: Snapshot,
  candidates: readonly Candidate[],
): Promise<Excerpt | undefined> {
  const pointed = candidates.flatMap(({ evidence }) => evidence.flatMap(({ messageIndex }) => messageIndex ?? []));
  const conversation = await readAround(ctx, snapshot, pointed, AROUND);
  if (!conversation) return undefined;
  const indexOf = new Map(conversation.indices.map((position, index) => [position, index]));
  const located = candidates.map((candidate) => ({
    ...candidate,
    evidence: candidate.evidence.map((one) => ({ ...one, messageIndex: indexOf.get(one.messageIndex ?? -1) ?? null })),
  }));
  return { candidates: located, conversation };
}
