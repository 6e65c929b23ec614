import { z } from "zod";
import { CAPABILITIES, DEFAULT_KEY_CAPABILITIES } from "@/server/platform/capabilities";
import { filledText, idInput, pageInput, pagination, unixMs } from "@/server/platform/schemas";

/** An API key as shown: never its secret, only the secret's last characters. Times are Unix ms. */
export const apiKey = z.object({
  id: z.string(),
  name: z.string(),
  /** The last four characters of the secret. */
  hint: z.string(),
  capabilities: z.array(z.enum(CAPABILITIES)),
  /** Only `active` keys are accepted. */
  status: z.enum(["active", "expired", "revoked"]),
  expiresAt: z.number().nullable(),
  /** Accurate to the minute. */
  lastUsedAt: z.number().nullable(),
  revokedAt: z.number().nullable(),
  createdBy: z.string().nullable(),
  createdAt: z.number(),
});
export type ApiKey = z.infer<typeof apiKey>;

export const createApiKeyInput = z.strictObject({
  name: filledText(120),
  /** Default: all read capabilities and `telemetry:write`. */
  capabilities: z
    .array(z.enum(CAPABILITIES))
    .min(1)
    .max(CAPABILITIES.length)
    .default(() => [...DEFAULT_KEY_CAPABILITIES]),
  /** Unix ms, in the future; without it the key does not expire. */
  expiresAt: unixMs.nullish(),
});
/** `secret` is the complete key, returned only once. */
export const createdApiKeyReply = z.object({ apiKey, secret: z.string() });

export const listApiKeysInput = z.strictObject(pageInput);
export const apiKeysReply = z.object({ apiKeys: z.array(apiKey), pagination });

export const revokeApiKeyInput = z.strictObject({ keyId: idInput });
