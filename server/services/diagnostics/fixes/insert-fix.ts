import type { SQL } from "drizzle-orm";
import { NOW } from "@/db/now";
import { fixes } from "@/db/schema";
import { type Ctx, idOfActor } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { recordEvents } from "../findings/finding-events";
import type { FixRow } from "./fix-rows";

type NewFix = Pick<FixRow, "findingId" | "by" | "value" | "kind"> & { note?: string; startedAt: number | null | SQL };

/** Watches a fix from now on, and tells the Finding's history. Returns its id; `null` if the same is watched already. */
export async function insertFix(tx: Ctx, { note = "", ...fix }: NewFix): Promise<string | null> {
  const id = newId("fix");
  const [stored] = await tx.db
    .insert(fixes)
    .values({
      ...fix,
      projectId: tx.projectId,
      id,
      note,
      dueAt: NOW,
      actorKind: tx.actor.kind,
      actorId: idOfActor(tx.actor),
    })
    .onConflictDoNothing()
    .returning({ id: fixes.id });
  if (!stored) return null;
  const { findingId, by, value } = fix;
  await recordEvents(tx, [{ findingId, kind: "fix_watched", detail: { fixId: id, by, value } }]);
  return id;
}
