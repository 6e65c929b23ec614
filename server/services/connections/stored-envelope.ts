import type { Envelope } from "@/server/platform/key-ring";

/** Returns the columns that store an envelope; all `null` without a secret. */
export const storedEnvelope = (envelope: Envelope | undefined) => ({
  secretSealed: envelope?.sealed ?? null,
  secretDataKey: envelope?.dataKey ?? null,
  secretRingKey: envelope?.ringKey ?? null,
});
