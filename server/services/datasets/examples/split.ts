import { createHash } from "node:crypto";
import type { Split } from "./types";

/** The thresholds, out of 2^32, at which validation and test begin. */
const [VALIDATION, TEST] = [0.8, 0.9].map((share) => share * 2 ** 32) as [number, number];

/**
 * Returns the split of everything with this key, 80/10/10. The key is the conversation, so that no part of it is in training
 * while another is in test; for an Example without a conversation it is the content.
 */
export function splitOf(key: string): Split {
  const number = createHash("sha256").update(key).digest().readUInt32BE();
  return number < VALIDATION ? "train" : number < TEST ? "validation" : "test";
}
