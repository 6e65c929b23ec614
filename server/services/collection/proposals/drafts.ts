import type { ConversationSnapshot } from "@/server/services/diagnostics/detectors/reading";
import { type Answers, payloadOf } from "./payload-of";
import type { LeftCode, LeftOut, Proposal } from "./types";

/** A proposal before masking. */
export type Draft = Omit<Proposal, "objective" | "masked">;
type Words = Pick<Draft, "reason" | "reasonCode" | "turn" | "answerTurn" | "source"> &
  Partial<Pick<Draft, "findingId" | "knowledgeGoalId" | "proposedByModel">>;

/** Collects what an objective proposes and why it leaves the rest out, with at most one proposal per turn. */
export class Drafts {
  readonly list: Draft[] = [];
  readonly left: LeftOut = {};

  constructor(private readonly conversation: ConversationSnapshot) {}

  leave(code: LeftCode): void {
    this.left[code] = (this.left[code] ?? 0) + 1;
  }

  has(turn: number): boolean {
    return this.list.some((one) => one.turn === turn);
  }

  /** Proposes an answer to the messages at `indexes`, unless they do not form a valid payload. */
  propose(indexes: readonly number[], answers: Answers, words: Words): void {
    if (this.has(words.turn)) return;
    // An answer that was corrected stays in the conversation that its correction refers to.
    const wrong = answers.rejected === undefined ? [] : [words.turn];
    const outcome = payloadOf(this.conversation, indexes, answers, { turn: words.turn, wrong });
    if ("left" in outcome) this.leave(outcome.left);
    else
      this.list.push({
        findingId: null,
        knowledgeGoalId: null,
        proposedByModel: false,
        ...words,
        payload: outcome.payload,
      });
  }
}

/** Returns the indexes 0, 1, … before a message. */
export const before = (index: number): number[] => Array.from({ length: index }, (_, nth) => nth);
