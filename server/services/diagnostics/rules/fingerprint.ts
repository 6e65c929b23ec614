import { createHash } from "node:crypto";

/** SHA-256 (hex) over Rule, Signal and normalised cause. JSON keeps the three apart, whatever they contain. */
export function fingerprint(ruleId: string, signal: string, cause: string): string {
  return createHash("sha256")
    .update(JSON.stringify([ruleId, signal, cause]))
    .digest("hex");
}
