import { baseModels } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { requireTrainer } from "@/server/services/trainers";
import { isBaseModel, lockBaseModel } from "./base-models";
import { baseModelIdInput } from "./schemas";

export const removeBaseModel = verb(
  {
    name: "baseModels.remove",
    summary: "Remove one of the project's own base models from the list.",
    description: "Its jobs and checkpoints stay, and so do its files on the trainer.",
    effect: "write",
    capability: "models:manage",
    input: baseModelIdInput,
    reply: okReply,
  },
  async (ctx, { baseModelId }) => {
    await requireTrainer(ctx);
    const { modelId, source, revision, trustRemoteCode } = await lockBaseModel(ctx, baseModelId);
    await ctx.db.delete(baseModels).where(isBaseModel(ctx, baseModelId));
    auditNote(ctx, { before: { modelId, source, revision, trustRemoteCode }, after: null });
    return { ok: true as const };
  },
);
