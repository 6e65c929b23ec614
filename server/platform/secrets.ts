import { hkdfSync } from "node:crypto";
import { env } from "@/env";

const cache = new Map<string, string>();

/** Derives a separate secret per purpose from WHETSTONE_SECRET, so that a leak of one reveals nothing about the others. 32 bytes, hex. */
export function derivedSecret(
  purpose:
    | "next-auth"
    | "api-keys"
    | "idempotency"
    | "mail"
    | "sign-in"
    | "masking"
    | "key-ring"
    | "trainers"
    | "telemetry-refusals",
): string {
  const { WHETSTONE_SECRET } = env();
  const name = `${purpose}\n${WHETSTONE_SECRET}`;
  const known = cache.get(name);
  if (known) return known;
  const derived = Buffer.from(hkdfSync("sha256", WHETSTONE_SECRET, "", `whetstone:${purpose}`, 32)).toString("hex");
  cache.set(name, derived);
  return derived;
}
