import type { Ctx } from "@/server/platform/context";
import { feedbackIn, feedbackOf } from "../../feedback";
import { IN_MEMORY } from "../../otlp";
import { contentsOf } from "../get-conversation";
import { assembledSnapshot } from "./assembled-snapshot";
import {
  type ConversationRow,
  conversationsOf,
  isWhole,
  type Snapshot,
  type SnapshotContent,
  type SnapshotContents,
} from "./snapshot";
import { headOf, type SnapshotSource, storedSnapshot } from "./snapshot-source";

/**
 * Returns snapshots in the order requested, `undefined` where the conversation no longer exists. A snapshot of the whole
 * conversation reads the stored one; an earlier or narrower snapshot is assembled from spans.
 */
export function readSnapshots(ctx: Ctx, wanted: readonly Snapshot[]): Promise<(SnapshotContent | undefined)[]> {
  // Repeatable read: a projector committing in between would pair newer contents with an older conversation row.
  return ctx.db.transaction(
    async (tx) => {
      const at = { ...ctx, db: tx };
      const rows = await conversationsOf(at, wanted);
      const whole = wanted.flatMap((snapshot) => {
        const row = rows.get(snapshot.conversationId);
        return row && isWhole(row, snapshot) ? [row.id] : [];
      });
      const contents = await contentsOf(at, [...new Set(whole)]);
      const feedback = await feedbackOf(at, [...rows.keys()]);
      const read: (SnapshotContent | undefined)[] = [];
      for (const snapshot of wanted) {
        const row = rows.get(snapshot.conversationId);
        if (!row) {
          read.push(undefined);
          continue;
        }
        const isPresent = isWhole(row, snapshot);
        const content = isPresent
          ? contentOf(storedSnapshot(at, row, snapshot), contents.get(row.id)!)
          : await assembledContent(at, row, snapshot);
        read.push({ ...content, feedback: feedbackIn(feedback.get(row.id) ?? [], content, isPresent) });
      }
      return read;
    },
    { isolationLevel: "repeatable read", accessMode: "read only" },
  );
}

const contentOf = (source: SnapshotSource, contents: SnapshotContents): Omit<SnapshotContent, "feedback"> => ({
  ...headOf(source),
  ...contents,
  positions: source.positions,
});

async function assembledContent(ctx: Ctx, row: ConversationRow, snapshot: Snapshot) {
  const source = await assembledSnapshot(ctx, row, snapshot, IN_MEMORY);
  return contentOf(source, source.contents());
}
