import { eq } from "drizzle-orm";
import { NOW } from "@/db/now";
import { gatewayAliases } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { aliasJson, audited, lockNames, nameTaken, readAround, requireTargets } from "./alias-rows";
import { ALIASES_MAX, createGatewayAliasInput, gatewayAliasReply } from "./schemas";

export const createGatewayAlias = verb(
  {
    name: "gatewayAliases.create",
    summary: "Create an alias: a name that calls of models may use, and the models that answer them.",
    description: `The first target answers. The next is asked if one cannot be reached, replies with 408, 429 or 5xx, or is late, before the first content of its answer; never after a refusal of the request itself. Takes effect within five seconds. Names are unique (409). A project has at most ${ALIASES_MAX} (409 beyond). 422: a connection is not a model connection of the project.`,
    effect: "write",
    capability: "project:models:manage",
    input: createGatewayAliasInput,
    reply: gatewayAliasReply,
  },
  async (ctx, input) => {
    await requireTargets(ctx, input.targets);
    await lockNames(ctx);
    await requireRoom(ctx);
    const [row] = await ctx.db
      .insert(gatewayAliases)
      .values({ projectId: ctx.projectId, id: newId("gwa"), ...input, updatedAt: NOW })
      .onConflictDoNothing({ target: [gatewayAliases.projectId, gatewayAliases.name] })
      .returning();
    if (!row) throw nameTaken(input.name);
    auditNote(ctx, { target: { type: "gatewayAlias", id: row.id }, after: audited(row) });
    return { alias: aliasJson(row, await readAround(ctx)) };
  },
);

async function requireRoom({ db, projectId }: Ctx) {
  if ((await db.$count(gatewayAliases, eq(gatewayAliases.projectId, projectId))) >= ALIASES_MAX)
    throw new ServiceError("conflict", `The project has ${ALIASES_MAX} aliases. Delete some first.`);
}
