import { createHash } from "node:crypto";
import type { EXAMPLE_SPLITS } from "@/db/schema/enumerations";
import { canonicalJson } from "@/server/platform/canonical-json";
import type { Objective } from "./types";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

export type ProvenanceSource = { conversationId: string; turn: number };

/**
 * Returns the key of an Example's source, so that the same source never gives two Examples of one objective. Neither the Finding nor
 * the goal is part of it: two of them may lead to the same answer.
 */
export const provenanceKeyOf = ({ source, objective }: { source: ProvenanceSource; objective: Objective }): string =>
  sha256(canonicalJson([objective, source.conversationId, source.turn]));

type Split = (typeof EXAMPLE_SPLITS)[number];

/** Shares of 100: what is below the first is for training, what is below the second for validation. */
const TRAIN_BELOW = 80;
const VALIDATION_BELOW = 90;
/** Hexadecimal digits of the hash that are read: 48 bits, which a number holds exactly. */
const DIGITS = 12;

/** Returns the split of a conversation's Examples, or of content without a conversation. The same id always has the same split. */
export function splitOf(conversationIdOrContentHash: string): Split {
  const share = (Number.parseInt(sha256(conversationIdOrContentHash).slice(0, DIGITS), 16) / 16 ** DIGITS) * 100;
  if (share < TRAIN_BELOW) return "train";
  return share < VALIDATION_BELOW ? "validation" : "test";
}
