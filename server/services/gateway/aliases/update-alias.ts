import { and, eq, ne } from "drizzle-orm";
import { NOW } from "@/db/now";
import { gatewayAliases } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { aliasJson, audited, isAlias, lockAlias, lockNames, nameTaken, readAround, requireTargets } from "./alias-rows";
import { gatewayAliasReply, updateGatewayAliasInput } from "./schemas";

export const updateGatewayAlias = verb(
  {
    name: "gatewayAliases.update",
    summary: "Change an alias.",
    description:
      "Omitted fields keep their value; `targets` replaces all. Takes effect within five seconds; calls in progress go on as they began. Callers of a former name get a 404. 409: another alias has the name. 422: a connection is not a model connection of the project.",
    effect: "write",
    capability: "project:models:manage",
    input: updateGatewayAliasInput,
    reply: gatewayAliasReply,
  },
  async (ctx, { gatewayAliasId, ...changes }) => {
    const before = await lockAlias(ctx, gatewayAliasId);
    if (changes.targets) await requireTargets(ctx, changes.targets);
    if (changes.name !== undefined) await requireFree(ctx, gatewayAliasId, changes.name);
    const [row] = await ctx.db
      .update(gatewayAliases)
      .set({ ...changes, updatedAt: NOW })
      .where(isAlias(ctx, gatewayAliasId))
      .returning();
    if (!row) throw new Error("The update of a locked alias returned no row.");
    auditNote(ctx, { before: audited(before), after: audited(row) });
    return { alias: aliasJson(row, await readAround(ctx)) };
  },
);

async function requireFree(ctx: Ctx, id: string, name: string) {
  await lockNames(ctx);
  const { db, projectId } = ctx;
  const isTaken = and(
    eq(gatewayAliases.projectId, projectId),
    eq(gatewayAliases.name, name),
    ne(gatewayAliases.id, id),
  );
  if ((await db.$count(gatewayAliases, isTaken)) > 0) throw nameTaken(name);
}
