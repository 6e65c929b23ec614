import { and, eq } from "drizzle-orm";
import { gatewayAliases } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { aliasJson, isAlias, readAround } from "./alias-rows";
import { gatewayAliasesReply, gatewayAliasIdInput, gatewayAliasReply, listGatewayAliasesInput } from "./schemas";

export const listGatewayAliases = verb(
  {
    name: "gatewayAliases.list",
    summary: "List the gateway’s aliases, newest first.",
    description:
      "An alias is a name that calls of models may use. `callable` of a target says whether calls reach it now.",
    effect: "read",
    capability: "workspace:read",
    input: listGatewayAliasesInput,
    reply: gatewayAliasesReply,
  },
  async (ctx, { limit, cursor }) => {
    const { rows, nextCursor } = await listPage(
      { name: "gateway-aliases", table: gatewayAliases, filters: { project: ctx.projectId }, limit, cursor },
      (after) =>
        ctx.db
          .select()
          .from(gatewayAliases)
          .where(and(eq(gatewayAliases.projectId, ctx.projectId), after)),
    );
    const around = await readAround(ctx);
    return { aliases: rows.map((row) => aliasJson(row, around)), nextCursor };
  },
);

export const getGatewayAlias = verb(
  {
    name: "gatewayAliases.get",
    summary: "Read one alias of the gateway.",
    description: "Its targets in order, with whether calls reach them now, and its limits.",
    effect: "read",
    capability: "workspace:read",
    input: gatewayAliasIdInput,
    reply: gatewayAliasReply,
  },
  async (ctx, { gatewayAliasId }) => {
    const [row] = await ctx.db.select().from(gatewayAliases).where(isAlias(ctx, gatewayAliasId));
    if (!row) throw notFound("The alias");
    return { alias: aliasJson(row, await readAround(ctx)) };
  },
);
