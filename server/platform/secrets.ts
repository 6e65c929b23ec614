import { hkdfSync } from "node:crypto";
import { env } from "@/env";

const kept = new Map<string, string>();

/**
 * A secret of its own for each purpose, all from WHETSTONE_SECRET: what one purpose leaks or signs says nothing about
 * another. 32 bytes, hex.
 */
export function derivedSecret(
  purpose: "next-auth" | "api-keys" | "idempotency" | "mail" | "sign-in" | "masking" | "key-ring",
): string {
  const { WHETSTONE_SECRET } = env();
  const name = `${purpose}\n${WHETSTONE_SECRET}`;
  const known = kept.get(name);
  if (known) return known;
  const derived = Buffer.from(hkdfSync("sha256", WHETSTONE_SECRET, "", `whetstone:${purpose}`, 32)).toString("hex");
  kept.set(name, derived);
  return derived;
}
