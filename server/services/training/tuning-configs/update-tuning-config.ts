import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { tuningConfigs } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { requireDataset } from "@/server/services/datasets";
import { requirePlannable } from "@/server/services/model-exports";
import { FINE_TUNING_READERS, requireTrainer } from "@/server/services/trainers";
import { resolveStart } from "../jobs/resolve-start";
import { configJson, isConfig, readConfig } from "./read-configs";
import { nextTime } from "./schedule";
import { requestedTuningConfigReply, tuningConfigReply, updateTuningConfigInput } from "./schemas";

const PARTS = ["training", "lora", "evaluation", "output", "limits"] as const;

const given = <T extends object>(values: T) =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>;

export const updateTuningConfig = verb(
  {
    name: "tuningConfigs.update",
    summary: "Change a tuning configuration.",
    description:
      "Omitted fields keep their value. `training`, `lora`, `evaluation`, `output` and `limits` are replaced as a whole; of `trigger` and `deployment` the fields that are sent change. Jobs that it started keep the settings they were started with.",
    effect: "write",
    capability: "project:data:write",
    input: updateTuningConfigInput,
    reply: tuningConfigReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedTuningConfigReply },
  },
  async (ctx, { configId, trigger = {}, deployment = {}, ...input }) => {
    await requireTrainer(ctx);
    const [row] = await ctx.db.select().from(tuningConfigs).where(isConfig(ctx, configId)).for("update");
    if (!row) throw notFound("The tuning configuration");
    if (input.datasetId !== undefined) await requireDataset(ctx, input.datasetId);
    if (input.baseModel !== undefined) await resolveStart(ctx, input.baseModel);
    const planned = input.output?.export;
    if (planned) await requirePlannable(ctx, { planned, adapter: input.adapter ?? row.adapter });
    const { training, lora, evaluation, output, limits, ...columns } = input;
    const parts = given({ training, lora, evaluation, output, limits } satisfies Record<
      (typeof PARTS)[number],
      unknown
    >);
    const { enabled, ...thresholds } = trigger;
    const changed = { triggerEnabled: enabled ?? row.triggerEnabled, ...given(thresholds) };
    const cron = changed.cron === undefined ? row.cron : changed.cron;
    const now = await databaseNow(ctx.db);
    const next = cron === null ? now : nextTime(cron, now);
    await ctx.db
      .update(tuningConfigs)
      .set({
        ...given(columns),
        settings: { ...row.settings, ...parts },
        ...changed,
        deployment: { ...row.deployment, ...given(deployment) },
        dueAt: changed.triggerEnabled ? next : null,
        updatedAt: NOW,
      })
      .where(isConfig(ctx, configId));
    auditNote(ctx, { before: { name: row.name, settings: row.settings }, after: { ...input, trigger, deployment } });
    return { tuningConfig: await configJson(ctx, await readConfig(ctx, configId)) };
  },
);
