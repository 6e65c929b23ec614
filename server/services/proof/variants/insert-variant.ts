import { and, eq, sql } from "drizzle-orm";
import { variants } from "@/db/schema";
import { auditActor } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";

type NewVariant = Omit<
  typeof variants.$inferInsert,
  "projectId" | "id" | "version" | "actorKind" | "actorId" | "createdAt"
>;

/** Stores a variant as the next version of its name, and returns its id. */
export async function insertVariant(tx: Ctx, variant: NewVariant): Promise<string> {
  const id = newId("var");
  await tx.db.insert(variants).values({
    projectId: tx.projectId,
    id,
    ...variant,
    version: await nextVersion(tx, variant.name),
    actorKind: tx.actor.kind,
    actorId: auditActor(tx.actor).id,
  });
  return id;
}

/** Returns the number of the next version; those who save under one name at the same time get one after the other. */
async function nextVersion({ db, projectId }: Ctx, name: string): Promise<number> {
  await db.execute(
    sql`select pg_advisory_xact_lock(hashtextextended(${`variants ${projectId} ${name.toLowerCase()}`}, 0))`,
  );
  const [row] = await db
    .select({ newest: sql<number>`coalesce(max(${variants.version}), 0)`.mapWith(Number) })
    .from(variants)
    .where(and(eq(variants.projectId, projectId), sql`lower(${variants.name}) = lower(${name})`));
  return (row?.newest ?? 0) + 1;
}
