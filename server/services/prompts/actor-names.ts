import { and, eq } from "drizzle-orm";
import { isOneOf } from "@/db/rows";
import { apiKeys, users } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";

/** Returns a function that names who did something: a member by their address, an API key by its name. */
export async function actorNames({ db, projectId }: Ctx, rows: readonly { actorId: string | null }[]) {
  const ids = [...new Set(rows.flatMap(({ actorId }) => actorId ?? []))];
  if (ids.length === 0) return () => null;
  const people = await db.select({ id: users.id, name: users.email }).from(users).where(isOneOf(users.id, ids));
  const keys = await db
    .select({ id: apiKeys.id, name: apiKeys.name })
    .from(apiKeys)
    .where(and(eq(apiKeys.projectId, projectId), isOneOf(apiKeys.id, ids)));
  const names = new Map([...people, ...keys].map(({ id, name }) => [id, name]));
  return (actorId: string | null): string | null => names.get(actorId ?? "") ?? null;
}
