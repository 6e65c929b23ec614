import type { Db } from "@/db/client";
import { apiKeys } from "@/db/schema";
import { type Capability, knownCapabilities } from "@/server/platform/capabilities";
import type { ProjectId } from "@/server/platform/context";
import { apiKeyJson } from "./api-key-json";
import { newApiKey } from "./key-format";

type Issued = {
  projectId: ProjectId;
  name: string;
  capabilities: readonly Capability[];
  expiresAt: number | null;
  createdBy: string | null;
};

/** Creates a key without any permission check; the operation `createApiKey` has those. */
export async function issueApiKey(db: Db, { capabilities, ...given }: Issued) {
  const { id, key, hash, hint } = newApiKey();
  const [row] = await db
    .insert(apiKeys)
    // Normalized: without duplicates, in the order of the table of capabilities.
    .values({ ...given, id, hash, hint, capabilities: knownCapabilities(capabilities) })
    .returning();
  if (!row) throw new Error("The insert of an API key returned no row.");
  return { apiKey: apiKeyJson(row, row.createdAt), secret: key };
}
