import { createHash } from "node:crypto";
import { textOf } from "../detectors/reading/text";
import type { ConversationSnapshot } from "../types";

/**
 * Returns the first line of every prompt of this project's adjudicator. It depends on the project's id, so that an end user
 * who does not know that cannot write it to hide a conversation from the Rules.
 */
export function adjudicationMark(projectId: string): string {
  const tag = createHash("sha256").update(`adjudication ${projectId}`).digest("hex").slice(0, 24);
  return `[Whetstone adjudication ${tag}]`;
}

/** Returns whether a conversation is one of our own questions, which an instrumented model endpoint may report to us. */
export function isAdjudication(projectId: string, { messages }: Pick<ConversationSnapshot, "messages">): boolean {
  const [first] = messages;
  return first !== undefined && textOf(first).startsWith(adjudicationMark(projectId));
}
