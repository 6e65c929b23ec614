import type { Db } from "@/db/client";
import type { Ctx } from "@/server/platform/context";
import { shareOf } from "@/server/platform/database/share-of";
import { ServiceError } from "@/server/platform/errors";
import { verifyApiKey } from "@/server/services/api-keys";

const BEARER = /^Bearer +(\S+) *$/i;

/** The key's project and holder, or `null` when the request carries no `Authorization` at all. */
export async function ctxForApiKey(db: Db, headers: Headers): Promise<Ctx | null> {
  const header = headers.get("authorization");
  if (header === null) return null;
  const key = BEARER.exec(header)?.[1];
  if (!key) throw new ServiceError("unauthenticated", "Send the API key as `Authorization: Bearer <key>`.");
  const holder = await verifyApiKey(db, key);
  return { db: shareOf(db, holder.projectId), ...holder };
}
