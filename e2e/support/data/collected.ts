import { expect } from "@playwright/test";
import type { Lesson } from "@/testbed/data/lessons";

/** A row of a reply: its fields are asserted where they are used. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads replies as a client without types does
export type Row = Record<string, any>;

/** Returns the candidate expected for a lesson's conversation. */
export const candidateOf = (lesson: Lesson, datasetId: string, conversationId: string) => ({
  datasetId,
  objective: lesson.objective,
  reason: lesson.reason,
  reasonCode: lesson.reasonCode,
  source: expect.objectContaining({ kind: lesson.kind, conversationId, turn: lesson.turn }),
});

/** Returns an Example's content, without the fields that differ between two copies. */
export const contentOf = ({
  id: _,
  datasetId: __,
  reviewerId: ___,
  version: ____,
  createdAt,
  updatedAt,
  ...rest
}: Row) => rest;

const byHash = (a: Row, b: Row) => (a.contentHash < b.contentHash ? -1 : 1);
export const contentsOf = (examples: readonly Row[]) => examples.map(contentOf).sort(byHash);

export const linesOf = (text: string): Row[] =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
