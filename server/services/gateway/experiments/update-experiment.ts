import { NOW } from "@/db/now";
import { gatewayExperiments } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { audited, experimentJson, isExperiment, lockExperiment } from "./experiment-rows";
import { gatewayExperimentReply, updateGatewayExperimentInput } from "./schemas";

export const updateGatewayExperiment = verb(
  {
    name: "gatewayExperiments.update",
    summary: "Change the share of an experiment.",
    description:
      "Applies to conversations that begin from now on: those that were assigned keep their arm. 409: the experiment has ended.",
    effect: "write",
    capability: "project:models:manage",
    input: updateGatewayExperimentInput,
    reply: gatewayExperimentReply,
  },
  async (ctx, { gatewayExperimentId, share }) => {
    const before = await lockExperiment(ctx, gatewayExperimentId);
    if (before.endedAt !== null) throw new ServiceError("conflict", `The experiment ${before.name} has ended.`);
    const [row] = await ctx.db
      .update(gatewayExperiments)
      .set({ share, updatedAt: NOW })
      .where(isExperiment(ctx, gatewayExperimentId))
      .returning();
    if (!row) throw new Error("The update of a locked experiment returned no row.");
    auditNote(ctx, { before: audited(before), after: audited(row) });
    return { experiment: experimentJson(row) };
  },
);
