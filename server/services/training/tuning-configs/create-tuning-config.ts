import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { tuningConfigs } from "@/db/schema";
import { auditActor, auditNote } from "@/server/platform/audit";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { requireDataset } from "@/server/services/datasets";
import { requirePlannable } from "@/server/services/model-exports";
import { FINE_TUNING_READERS, requireTrainer } from "@/server/services/trainers";
import { resolveStart } from "../jobs/resolve-start";
import { configJson, readConfig } from "./read-configs";
import { nextTime } from "./schedule";
import { createTuningConfigInput, requestedTuningConfigReply, tuningConfigReply } from "./schemas";

export const createTuningConfig = verb(
  {
    name: "tuningConfigs.create",
    summary: "Create a tuning configuration: a reusable training setup that can start automatically.",
    description:
      "With `trigger.enabled` it starts a job as soon as there are `minNewExamples` more Examples than it last trained on; with `cron`, only at the times that it specifies (UTC). `tuningConfigs.decisions` lists its decisions, with reasons. With `deployment.enabled` the checkpoint of each job that succeeds is deployed under `deployment.name` or, without one, the configuration's name, if it is no worse than the model deployed under that name; `tuningConfigs.rollouts` lists these decisions, with reasons. 422: the base model is not known.",
    effect: "write",
    capability: "project:data:write",
    input: createTuningConfigInput,
    reply: tuningConfigReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedTuningConfigReply },
  },
  async (ctx, { name, datasetId, baseModel, engine, method, adapter, trigger, deployment, ...settings }) => {
    await requireTrainer(ctx);
    await requireDataset(ctx, datasetId);
    await resolveStart(ctx, baseModel);
    const planned = settings.output.export;
    if (planned) await requirePlannable(ctx, { planned, adapter });
    const { enabled, cron, ...limits } = trigger;
    const now = await databaseNow(ctx.db);
    const first = cron === null ? now : nextTime(cron, now);
    const id = newId("tc");
    await ctx.db.insert(tuningConfigs).values({
      projectId: ctx.projectId,
      id,
      name,
      datasetId,
      baseModel,
      engine,
      method,
      adapter,
      settings,
      triggerEnabled: enabled,
      cron,
      ...limits,
      deployment,
      dueAt: enabled ? first : null,
      actorKind: ctx.actor.kind,
      actorId: auditActor(ctx.actor).id,
      updatedAt: NOW,
    });
    auditNote(ctx, { target: { type: "tuningConfig", id } });
    return { tuningConfig: await configJson(ctx, await readConfig(ctx, id)) };
  },
);
