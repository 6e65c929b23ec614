import type { apiKeys } from "@/db/schema";
import { knownCapabilities } from "@/server/platform/capabilities";
import type { ApiKey } from "./schemas";

type Row = Omit<typeof apiKeys.$inferSelect, "hash">;

export const apiKeyJson = ({ projectId: _, ...row }: Row, now: number): ApiKey => ({
  ...row,
  capabilities: knownCapabilities(row.capabilities),
  status: row.revokedAt !== null ? "revoked" : row.expiresAt !== null && row.expiresAt <= now ? "expired" : "active",
});
