import { and, eq } from "drizzle-orm";
import { isOneOf } from "@/db/rows";
import { checkpoints } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";

/**
 * Keeps checkpoints from being deleted until the end of the caller's transaction, which stores something that needs them: a
 * deletion locks them first, and then finds it. Throws a 409 if one was deleted after it was chosen.
 */
export async function holdCheckpoints({ db, projectId }: Ctx, ids: readonly (string | null)[]): Promise<void> {
  const wanted = [...new Set(ids.flatMap((id) => id ?? []))];
  if (wanted.length === 0) return;
  const held = await db
    .select({ id: checkpoints.id })
    .from(checkpoints)
    .where(and(eq(checkpoints.projectId, projectId), isOneOf(checkpoints.id, wanted)))
    .orderBy(checkpoints.id)
    .for("key share");
  if (held.length < wanted.length)
    throw new ServiceError("conflict", "The checkpoint has just been deleted. Choose another one.");
}
