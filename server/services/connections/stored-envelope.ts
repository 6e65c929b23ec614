import type { Envelope } from "@/server/platform/key-ring";

/** The columns of an envelope; all empty without a secret. */
export const storedEnvelope = (envelope: Envelope | undefined) => ({
  secretSealed: envelope?.sealed ?? null,
  secretDataKey: envelope?.dataKey ?? null,
  secretRingKey: envelope?.ringKey ?? null,
});
