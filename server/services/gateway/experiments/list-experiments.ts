import { and, eq } from "drizzle-orm";
import { gatewayExperiments } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { countsOf } from "./ending";
import { experimentJson, isExperiment } from "./experiment-rows";
import {
  countedExperimentReply,
  gatewayExperimentIdInput,
  gatewayExperimentsReply,
  listGatewayExperimentsInput,
} from "./schemas";

export const listGatewayExperiments = verb(
  {
    name: "gatewayExperiments.list",
    summary: "List experiments of the gateway, newest first.",
    description: "At most one of an alias runs: `endedAt` is `null`.",
    effect: "read",
    capability: "workspace:read",
    input: listGatewayExperimentsInput,
    reply: gatewayExperimentsReply,
  },
  async (ctx, { gatewayAliasId, variantId, limit, cursor }) => {
    const filters = { project: ctx.projectId, gatewayAliasId, variantId };
    const { rows, nextCursor } = await listPage(
      { name: "gateway-experiments", table: gatewayExperiments, filters, limit, cursor },
      (after) =>
        ctx.db
          .select()
          .from(gatewayExperiments)
          .where(
            and(
              eq(gatewayExperiments.projectId, ctx.projectId),
              gatewayAliasId === undefined ? undefined : eq(gatewayExperiments.aliasId, gatewayAliasId),
              variantId === undefined ? undefined : eq(gatewayExperiments.variantId, variantId),
              after,
            ),
          ),
    );
    return { experiments: rows.map(experimentJson), nextCursor };
  },
);

export const getGatewayExperiment = verb(
  {
    name: "gatewayExperiments.get",
    summary: "Read one experiment of the gateway.",
    description:
      "With the number of conversations in each arm. What they differ in is told by `versions.compare` with `by=arm`.",
    effect: "read",
    capability: "workspace:read",
    input: gatewayExperimentIdInput,
    reply: countedExperimentReply,
  },
  async (ctx, { gatewayExperimentId }) => {
    const [row] = await ctx.db.select().from(gatewayExperiments).where(isExperiment(ctx, gatewayExperimentId));
    if (!row) throw notFound("The experiment");
    return { experiment: { ...experimentJson(row), counts: await countsOf(ctx, gatewayExperimentId) } };
  },
);
