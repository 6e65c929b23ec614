import { and, eq } from "drizzle-orm";
import { triggerDecisions, tuningConfigs } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { configJson, decisionJson, readConfig } from "./read-configs";
import {
  listTriggerDecisionsInput,
  listTuningConfigsInput,
  triggerDecisionsReply,
  tuningConfigIdInput,
  tuningConfigReply,
  tuningConfigsReply,
} from "./schemas";

export const listTuningConfigs = verb(
  {
    name: "tuningConfigs.list",
    summary: "List tuning configurations, newest first.",
    description:
      "Each with its trigger, when that is checked next, its last decision, and the number of Examples added since its last training.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: listTuningConfigsInput,
    reply: tuningConfigsReply,
  },
  async (ctx, { limit, cursor }) => {
    const { rows, nextCursor } = await listPage(
      { name: "tuning-configs", table: tuningConfigs, filters: { project: ctx.projectId }, limit, cursor },
      (after) =>
        ctx.db
          .select()
          .from(tuningConfigs)
          .where(and(eq(tuningConfigs.projectId, ctx.projectId), after)),
    );
    return { tuningConfigs: await Promise.all(rows.map((row) => configJson(ctx, row))), nextCursor };
  },
);

export const getTuningConfig = verb(
  {
    name: "tuningConfigs.get",
    summary: "Read one tuning configuration.",
    description:
      "What it trains and how, its trigger with the last decision, its rules for deployment, and the job that it started last. `nextCheckAt` is `null` while the trigger is off.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: tuningConfigIdInput,
    reply: tuningConfigReply,
  },
  async (ctx, { configId }) => {
    return { tuningConfig: await configJson(ctx, await readConfig(ctx, configId)) };
  },
);

export const listTriggerDecisions = verb(
  {
    name: "tuningConfigs.decisions",
    summary: "List what a tuning configuration's trigger decided, newest first.",
    description: "The same decision several times in a row is listed once, with its count (`times`) and last time.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: listTriggerDecisionsInput,
    reply: triggerDecisionsReply,
  },
  async (ctx, { configId, limit, cursor }) => {
    await readConfig(ctx, configId);
    const ofConfig = and(eq(triggerDecisions.projectId, ctx.projectId), eq(triggerDecisions.configId, configId));
    const { rows, nextCursor } = await listPage(
      {
        name: "trigger-decisions",
        table: triggerDecisions,
        filters: { project: ctx.projectId, config: configId },
        limit,
        cursor,
      },
      (after) => ctx.db.select().from(triggerDecisions).where(and(ofConfig, after)),
    );
    return { decisions: rows.map(decisionJson), nextCursor };
  },
);
