import { tuningConfigs } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { okReply } from "@/server/platform/schemas";
import { verb } from "@/server/platform/verb";
import { requireTrainer } from "@/server/services/trainers";
import { isConfig, readConfig } from "./read-configs";
import { tuningConfigIdInput } from "./schemas";

export const deleteTuningConfig = verb(
  {
    name: "tuningConfigs.delete",
    summary: "Delete a tuning configuration.",
    description: "Jobs that it started stay, and a job in progress continues.",
    effect: "write",
    capability: "project:data:write",
    input: tuningConfigIdInput,
    reply: okReply,
  },
  async (ctx, { configId }) => {
    await requireTrainer(ctx);
    const { name } = await readConfig(ctx, configId);
    await ctx.db.delete(tuningConfigs).where(isConfig(ctx, configId));
    auditNote(ctx, { before: { name }, after: null });
    return { ok: true as const };
  },
);
