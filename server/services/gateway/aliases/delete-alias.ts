import { gatewayAliases } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { endExperimentsOfAlias } from "../experiments/ending";
import { audited, isAlias, lockAlias } from "./alias-rows";
import { gatewayAliasIdInput } from "./schemas";

export const deleteGatewayAlias = verb(
  {
    name: "gatewayAliases.delete",
    summary: "Delete an alias.",
    description: "Within five seconds its callers get a 404. Recorded calls keep its name. Its experiment ends.",
    effect: "write",
    capability: "project:models:manage",
    input: gatewayAliasIdInput,
    reply: okReply,
  },
  async (ctx, { gatewayAliasId }) => {
    const before = await lockAlias(ctx, gatewayAliasId);
    await endExperimentsOfAlias(ctx, gatewayAliasId);
    await ctx.db.delete(gatewayAliases).where(isAlias(ctx, gatewayAliasId));
    auditNote(ctx, { before: audited(before), after: null });
    return { ok: true as const };
  },
);
