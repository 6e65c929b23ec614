import { and, eq, sql } from "drizzle-orm";
import { variants } from "@/db/schema";
import { auditActor, auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { requireEndpoint } from "./endpoints";
import { createVariantInput, requestedVariantReply, variantReply } from "./schemas";
import { readVariant } from "./variant-rows";

export const createVariant = verb(
  {
    name: "variants.create",
    summary:
      "Save a variant of what a model is sent: another model, system prompt, parameters or descriptions of tools.",
    description:
      "Under a name that exists, in any case, it becomes the next version; a version never changes. `evaluations` of a variant show whether it fixes a Finding. 422: the connection is not a model connection of the project, or the deployment does not run.",
    effect: "write",
    capability: "models:manage",
    input: createVariantInput,
    reply: variantReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedVariantReply },
  },
  async (ctx, input) => {
    const endpoint = await requireEndpoint(ctx, input);
    const id = newId("var");
    await ctx.db.insert(variants).values({
      projectId: ctx.projectId,
      id,
      ...input,
      ...endpoint,
      version: await nextVersion(ctx, input.name),
      actorKind: ctx.actor.kind,
      actorId: auditActor(ctx.actor).id,
    });
    const variant = await readVariant(ctx, id);
    const { name, version, findingId } = variant;
    auditNote(ctx, { target: { type: "variant", id }, after: { name, version, ...endpoint, findingId } });
    return { variant };
  },
);

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
