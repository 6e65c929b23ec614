import { createHash } from "node:crypto";
import type { Split } from "./types";

/** The shares in 2^32 at which validation and test begin. */
const [VALIDATION, TEST] = [0.8, 0.9].map((share) => share * 2 ** 32) as [number, number];

/**
 * Returns the split of everything with this key, 80/10/10: a conversation, so that no part of one is trained on and another
 * tested; for an Example of no conversation its content.
 */
export function splitOf(key: string): Split {
  const number = createHash("sha256").update(key).digest().readUInt32BE();
  return number < VALIDATION ? "train" : number < TEST ? "validation" : "test";
}
