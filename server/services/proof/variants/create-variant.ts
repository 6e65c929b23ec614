import { and, eq, sql } from "drizzle-orm";
import { variants } from "@/db/schema";
import { auditActor, auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { unprocessable } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { modelConnections } from "@/server/services/connections";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { createVariantInput, requestedVariantReply, variantReply } from "./schemas";
import { readVariant } from "./variant-rows";

export const createVariant = verb(
  {
    name: "variants.create",
    summary:
      "Save a variant of what a model is sent: another model, system prompt, parameters or descriptions of tools.",
    description:
      "Under a name that exists, in any case, it becomes the next version; a version never changes. `evaluations` of a variant show whether it fixes a Finding. 422: the connection is not a model connection of the project.",
    effect: "write",
    capability: "models:manage",
    input: createVariantInput,
    reply: variantReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedVariantReply },
  },
  async (ctx, input) => {
    await requireModelConnection(ctx, input.connectionId, "/connectionId");
    const id = newId("var");
    await ctx.db.insert(variants).values({
      projectId: ctx.projectId,
      id,
      ...input,
      version: await nextVersion(ctx, input.name),
      actorKind: ctx.actor.kind,
      actorId: auditActor(ctx.actor).id,
    });
    const variant = await readVariant(ctx, id);
    const { name, version, connectionId, model, findingId } = variant;
    auditNote(ctx, { target: { type: "variant", id }, after: { name, version, connectionId, model, findingId } });
    return { variant };
  },
);

/** Throws 422 unless the id is that of a model connection of the project. */
export async function requireModelConnection(ctx: Ctx, connectionId: string, path: string): Promise<void> {
  const found = (await modelConnections(ctx)).some(({ id }) => id === connectionId);
  if (!found) throw unprocessable(path, "The model connection was not found in this project.");
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
