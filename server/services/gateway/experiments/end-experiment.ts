import { eq } from "drizzle-orm";
import { gatewayExperiments } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { verb } from "@/server/platform/verb";
import { endExperiments } from "./ending";
import { audited, experimentJson, lockExperiment } from "./experiment-rows";
import { gatewayExperimentIdInput, gatewayExperimentReply } from "./schemas";

export const endGatewayExperiment = verb(
  {
    name: "gatewayExperiments.end",
    summary: "End an experiment: all calls of its alias are answered as before.",
    description:
      "Takes effect within five seconds, for conversations of both arms; none is assigned from now on. What was recorded can be compared as before. One that has ended stays as it is.",
    effect: "write",
    capability: "project:models:manage",
    input: gatewayExperimentIdInput,
    reply: gatewayExperimentReply,
  },
  async (ctx, { gatewayExperimentId }) => {
    const before = await lockExperiment(ctx, gatewayExperimentId);
    const [row = before] = await endExperiments(ctx, eq(gatewayExperiments.id, gatewayExperimentId));
    auditNote(ctx, { before: audited(before), after: audited(row) });
    return { experiment: experimentJson(row) };
  },
);
