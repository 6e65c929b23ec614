import type { Db } from "@/db/client";
import type { Ctx } from "@/server/platform/context";
import { projectPool } from "@/server/platform/database/project-pool";
import { ServiceError } from "@/server/platform/errors";
import { verifyApiKey } from "@/server/services/api-keys";

const BEARER = /^Bearer +(\S+) *$/i;

/**
 * Returns the context of the request's API key: its project and actor. `null` when the request has no `Authorization`
 * header at all; throws `unauthenticated` when the key is not valid.
 */
export async function ctxForApiKey(db: Db, headers: Headers): Promise<Ctx | null> {
  const header = headers.get("authorization");
  if (header === null) return null;
  const key = BEARER.exec(header)?.[1];
  if (!key) throw new ServiceError("unauthenticated", "Send the API key as `Authorization: Bearer <key>`.");
  const holder = await verifyApiKey(db, key);
  return { db: projectPool(db, holder.projectId), ...holder };
}
