import { createHash } from "node:crypto";

/** Returns the SHA-256 (hex) of Rule, Signal and normalised cause. JSON separates the three unambiguously. */
export function fingerprint(ruleId: string, signal: string, cause: string): string {
  return createHash("sha256")
    .update(JSON.stringify([ruleId, signal, cause]))
    .digest("hex");
}
