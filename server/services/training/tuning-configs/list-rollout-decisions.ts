import { and, eq } from "drizzle-orm";
import { rolloutDecisions } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import {
  listRolloutDecisionsInput,
  type RolloutDecision,
  rolloutDecisionsReply,
} from "@/server/services/serving/rollouts/schemas";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { readConfig } from "./read-configs";

const decisionJson = ({ projectId: _, configId: __, dueAt: ___, ...row }: typeof rolloutDecisions.$inferSelect) =>
  row as RolloutDecision;

export const listRolloutDecisions = verb(
  {
    name: "tuningConfigs.rollouts",
    summary: "List what automatic deployment decided about a tuning configuration's jobs, newest first.",
    description:
      "One for each job that succeeded while `deployment.enabled` was on. `gates` are those evaluated so far, in order, with what was measured and allowed; `outcome` is `null` until it is decided. `reason` names the gate that decided.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: listRolloutDecisionsInput,
    reply: rolloutDecisionsReply,
  },
  async (ctx, { configId, limit, cursor }) => {
    await readConfig(ctx, configId);
    const ofConfig = and(eq(rolloutDecisions.projectId, ctx.projectId), eq(rolloutDecisions.configId, configId));
    const { rows, nextCursor } = await listPage(
      {
        name: "rollout-decisions",
        table: rolloutDecisions,
        filters: { project: ctx.projectId, config: configId },
        limit,
        cursor,
      },
      (after) => ctx.db.select().from(rolloutDecisions).where(and(ofConfig, after)),
    );
    return { decisions: rows.map(decisionJson), nextCursor };
  },
);
