import { and, eq, type SQL, sql } from "drizzle-orm";
import { alias } from "drizzle-orm/pg-core";
import { checkpoints, evaluationJudgings, evaluations, findings, trainingJobs, variants } from "@/db/schema";
import { type Ctx, hasCapability } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { RECORDED_TRAINER } from "@/server/services/trainers";
import { trainerProblem } from "@/server/services/trainers/schemas";
import { judgedModels, mayPreferItself } from "../judging/result";
import { type Judging, judging as judgingShape } from "../judging/schemas";
import { RECORDED_CONNECTION } from "../variants/variant-rows";
import {
  type Comparison,
  comparison as comparisonShape,
  type Evaluation,
  type Proof,
  proof as proofShape,
  type Selection,
  type SimilarityFloor,
  selection as selectionShape,
} from "./schemas";
import { type ProofBasis, verdictOf } from "./verdict/summarise";

export type EvaluationRecord = typeof evaluations.$inferSelect;

/** The stored state of an evaluation, besides its rows. */
export type Summary = {
  selection: Selection;
  comparison?: Comparison;
  proof?: Proof;
  floors?: SimilarityFloor[];
  /** Checkpoints and variants that were tried on the same Finding, this one included. */
  tries?: number;
  /** The rows that the trainer is answering, and the id of the request. */
  request?: { id: string; rows: number[] } | undefined;
  /** Rows up to this number are sent one by one, because one of them crashed the trainer's process. */
  oneByOneTo?: number | undefined;
  /** Number of consecutive rows that did so. */
  crashes?: number | undefined;
};
export const summaryOf = ({ summary }: Pick<EvaluationRecord, "summary">) => (summary ?? {}) as Summary;

export const basisOf = ({ floors = [], tries = 1, selection }: Summary): ProofBasis => ({
  floors,
  tries,
  isSeen: selection?.seenOnly ?? false,
});

/** A stored proof. One of before answers were judged proves nothing, whatever was said of it then. */
function proofIn(row: Pick<EvaluationRecord, "summary" | "verdict">) {
  const { proof } = summaryOf(row);
  if (!proof) return { proof: null, verdict: row.verdict };
  const read = proofShape.parse(proof);
  if (row.verdict === null || read.right !== null) return { proof: read, verdict: row.verdict };
  const { verdict, because } = verdictOf(read, { isSeen: false });
  return { proof: { ...read, because }, verdict };
}

/** Condition: an evaluation of the project. */
export const isEvaluation = ({ projectId }: Pick<Ctx, "projectId">, id: string) =>
  and(eq(evaluations.projectId, projectId), eq(evaluations.id, id));

/** Returns an evaluation's row, locked until the end of the transaction; `undefined` if it does not exist. */
export async function lockEvaluation(tx: Ctx, id: string): Promise<EvaluationRecord | undefined> {
  const [row] = await tx.db.select().from(evaluations).where(isEvaluation(tx, id)).for("update");
  return row;
}

const baselines = alias(checkpoints, "baselines");
const baselineJobs = alias(trainingJobs, "baseline_jobs");

const nameOf = (jobName: string, stepNumber: number) => `${jobName}, step ${stepNumber}`;

/** Returns evaluations of the project. */
export async function readEvaluations(
  ctx: Ctx,
  condition: SQL | undefined,
  { order = [], limit = 1 }: { order?: SQL[]; limit?: number } = {},
): Promise<Evaluation[]> {
  // A Finding's title may quote conversations.
  const maySeeFindings = hasCapability(ctx, ["diagnostics:read"]);
  const rows = await ctx.db
    .select({
      row: evaluations,
      checkpoint: checkpoints,
      job: { id: trainingJobs.id, name: trainingJobs.name, baseModelId: trainingJobs.baseModelId },
      variant: { name: variants.name, version: variants.version, model: variants.model },
      baselineStep: baselines.stepNumber,
      baselineJobName: baselineJobs.name,
      judging: evaluationJudgings,
      findingTitle: maySeeFindings ? findings.title : sql<null>`null`,
    })
    .from(evaluations)
    .leftJoin(
      checkpoints,
      and(eq(checkpoints.projectId, evaluations.projectId), eq(checkpoints.id, evaluations.checkpointId)),
    )
    .leftJoin(
      trainingJobs,
      and(eq(trainingJobs.projectId, checkpoints.projectId), eq(trainingJobs.id, checkpoints.jobId)),
    )
    .leftJoin(variants, and(eq(variants.projectId, evaluations.projectId), eq(variants.id, evaluations.variantId)))
    .leftJoin(
      baselines,
      and(eq(baselines.projectId, evaluations.projectId), eq(baselines.id, evaluations.baselineCheckpointId)),
    )
    .leftJoin(baselineJobs, and(eq(baselineJobs.projectId, baselines.projectId), eq(baselineJobs.id, baselines.jobId)))
    .leftJoin(
      evaluationJudgings,
      and(eq(evaluationJudgings.projectId, evaluations.projectId), eq(evaluationJudgings.id, evaluations.id)),
    )
    .leftJoin(findings, and(eq(findings.projectId, evaluations.projectId), eq(findings.id, evaluations.findingId)))
    .where(and(eq(evaluations.projectId, ctx.projectId), condition))
    .orderBy(...order)
    .limit(limit);
  return rows.map(({ row, findingTitle, judging, ...models }) => {
    const { selection, comparison } = summaryOf(row);
    const { baseline: _, ...columns } = row;
    const { before, after } = sidesOf(row, models);
    return {
      ...columns,
      before,
      after,
      jobId: models.job?.id ?? null,
      jobName: models.job?.name ?? null,
      findingTitle,
      selection: selection ? selectionShape.parse(selection) : null,
      comparison: comparison ? comparisonShape.parse(comparison) : null,
      ...proofIn(row),
      judging: judging && judgingOf(judging, [models.job?.baseModelId ?? "", ...judgedModels(before, after)]),
      error: row.error && trainerProblem.parse(row.error),
      cost: Number(row.cost),
      maxCost: row.maxCost === null ? null : Number(row.maxCost),
      recorded: row.trainerId === RECORDED_TRAINER || row.baseline?.connectionId === RECORDED_CONNECTION.id,
    };
  });
}

type Models = {
  checkpoint: typeof checkpoints.$inferSelect | null;
  job: { name: string; baseModelId: string } | null;
  variant: { name: string; version: number; model: string } | null;
  baselineStep: number | null;
  baselineJobName: string | null;
};
type Side = Evaluation["before"];

/** Names what answers before and after. */
function sidesOf(
  { variantId, baseline, baselineCheckpointId }: EvaluationRecord,
  { checkpoint, job, variant, baselineStep, baselineJobName }: Models,
): { before: Side; after: Side } {
  const none = { checkpointId: null, variantId: null, model: null, jobName: null, stepNumber: null };
  if (variant !== null) {
    return {
      before: { ...none, name: `${baseline?.model ?? ""}, as recorded`, model: baseline?.model ?? null },
      after: { ...none, variantId, name: `${variant.name}, version ${variant.version}`, model: variant.model },
    };
  }
  const baselineName = baselineStep === null ? "A deleted checkpoint" : nameOf(baselineJobName ?? "", baselineStep);
  const { id = null, stepNumber = null } = checkpoint ?? {};
  return {
    before: {
      ...none,
      checkpointId: baselineCheckpointId,
      name: baselineCheckpointId === null ? (job?.baseModelId ?? "") : baselineName,
      jobName: baselineJobName,
      stepNumber: baselineStep,
    },
    after: {
      ...none,
      checkpointId: id,
      name: nameOf(job?.name ?? "", stepNumber ?? 0),
      jobName: job?.name ?? null,
      stepNumber,
    },
  };
}

function judgingOf({ result, ...row }: typeof evaluationJudgings.$inferSelect, judged: readonly string[]): Judging {
  const mayPrefer = mayPreferItself(row.model, judged);
  return judgingShape.parse({ ...(result as object), ...row, mayPreferItself: mayPrefer });
}

/** Returns one evaluation, or throws a 404. */
export async function readEvaluation(ctx: Ctx, id: string): Promise<Evaluation> {
  const [found] = await readEvaluations(ctx, eq(evaluations.id, id));
  if (!found) throw notFound("The evaluation");
  return found;
}
