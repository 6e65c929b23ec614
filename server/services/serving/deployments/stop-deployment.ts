import { auditNote } from "@/server/platform/audit";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS, requireTrainer } from "@/server/services/trainers";
import { requestStop } from "./change-deployment";
import { deploymentJson, lockDeployment } from "./read-deployments";
import { deploymentIdInput, deploymentReply, requestedDeploymentReply } from "./schemas";

export const stopDeployment = verb(
  {
    name: "deployments.stop",
    summary: "Stop a deployment.",
    description:
      "It accepts no new calls, and calls in progress have 30 s to finish. The status is `stopping` until the trainer has confirmed that the process has ended, even while the trainer is unreachable. A deployment that has ended is unchanged (200).",
    effect: "write",
    capability: "project:models:manage",
    input: deploymentIdInput,
    reply: deploymentReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedDeploymentReply },
  },
  async (ctx, { deploymentId }) => {
    await requireTrainer(ctx);
    const row = await lockDeployment(ctx, deploymentId);
    const stopped = (await requestStop(ctx, deploymentId, "Stopped on request")) ?? row;
    const target = { type: "deployment", id: deploymentId };
    auditNote(ctx, { target, before: { status: row.status }, after: { status: stopped.status } });
    return { deployment: deploymentJson(stopped) };
  },
);
