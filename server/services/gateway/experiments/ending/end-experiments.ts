import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { gatewayExperiments } from "@/db/schema";
import type { ExperimentCounts } from "@/db/schema/json";
import type { Ctx } from "@/server/platform/context";
import { isExperiment } from "../experiment-rows";

const isRunning = isNull(gatewayExperiments.endedAt);

/** SQL of the numbers of conversations in the arms of experiment `gateway_experiments`. */
const COUNTS = sql<ExperimentCounts>`(
  select jsonb_build_object(
    'baseline', count(*) filter (where a.arm = 'baseline'),
    'variant', count(*) filter (where a.arm = 'variant'),
    'notApplied', count(*) filter (where a.not_applied))
  from gateway_assignments a
  where a.project_id = ${gatewayExperiments.projectId} and a.experiment_id = ${gatewayExperiments.id}
    and a.conversation is null)`;

/** Returns the numbers of conversations in the arms: those at its end, once it has ended. */
export async function countsOf({ db, projectId }: Ctx, id: string): Promise<ExperimentCounts> {
  const [row] = await db
    .select({ counts: sql<ExperimentCounts>`coalesce(${gatewayExperiments.counts}, ${COUNTS})` })
    .from(gatewayExperiments)
    .where(isExperiment({ projectId }, id));
  return row?.counts ?? { baseline: 0, variant: 0, notApplied: 0 };
}

/** Ends those of the project's running experiments that the condition names, with what was counted. Returns them. */
export const endExperiments = ({ db, projectId }: Ctx, which: SQL) =>
  db
    .update(gatewayExperiments)
    .set({ endedAt: NOW, updatedAt: NOW, counts: COUNTS })
    .where(and(eq(gatewayExperiments.projectId, projectId), isRunning, which))
    .returning();

export const endExperimentsOfVariant = (ctx: Ctx, variantId: string) =>
  endExperiments(ctx, eq(gatewayExperiments.variantId, variantId));
export const endExperimentsOfAlias = (ctx: Ctx, aliasId: string) =>
  endExperiments(ctx, eq(gatewayExperiments.aliasId, aliasId));
