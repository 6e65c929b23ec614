import { and, desc, eq, gt, isNull } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { checkpoints, deployments, rolloutDecisions, trainingJobs, tuningConfigs } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { rolloutDue } from "@/server/platform/jobs/events";
import { inMs, type Turn, wakeDue } from "@/server/services/trainers";
import { prepareDeployment, queueDeployment, servedNameOf } from "../deployments/insert-deployment";
import { findDeployment, isInService, isNamed } from "../deployments/read-deployments";
import { TIMEOUT_SECONDS } from "../deployments/schemas";
import { formOf } from "../deployments/servable";
import { SERVING_GATES, type ServingGates } from "../serving-gates";
import { judgeCheckpoint, judgeDeployment, judgeLoss, judgeParity, judgePreserved } from "./judge-gates";
import type { Gate } from "./schemas";

const LOOK_MS = 10_000;
/** How long to wait for an unreachable trainer, or for another deployment under the name. */
const PATIENCE_MS = 6 * 3_600_000;

type DecisionRow = typeof rolloutDecisions.$inferSelect;
type Checkpoint = typeof checkpoints.$inferSelect;
type Policy = { enabled: boolean; maxLossIncrease: number; maxPreserveDrop: number };
type Change = PgUpdateSetSource<typeof rolloutDecisions>;

const isDecision = ({ projectId }: Pick<Ctx, "projectId">, id: string) =>
  and(eq(rolloutDecisions.projectId, projectId), eq(rolloutDecisions.id, id));

const change = (ctx: Ctx, id: string, changed: Change) =>
  ctx.db
    .update(rolloutDecisions)
    .set({ ...changed, updatedAt: NOW })
    .where(and(isDecision(ctx, id), isNull(rolloutDecisions.outcome)));

async function read({ db, ...ctx }: Ctx, id: string) {
  const [found] = await db
    .select({ row: rolloutDecisions, config: tuningConfigs, trainerId: trainingJobs.trainerId })
    .from(rolloutDecisions)
    .innerJoin(
      tuningConfigs,
      and(eq(tuningConfigs.projectId, rolloutDecisions.projectId), eq(tuningConfigs.id, rolloutDecisions.configId)),
    )
    .innerJoin(
      trainingJobs,
      and(eq(trainingJobs.projectId, rolloutDecisions.projectId), eq(trainingJobs.id, rolloutDecisions.jobId)),
    )
    .where(isDecision(ctx, id));
  return found;
}

/** Returns the job's best stored checkpoint, otherwise its last one. */
async function candidateOf({ db, projectId }: Ctx, jobId: string): Promise<Checkpoint | undefined> {
  const [found] = await db
    .select()
    .from(checkpoints)
    .where(and(eq(checkpoints.projectId, projectId), eq(checkpoints.jobId, jobId), eq(checkpoints.state, "stored")))
    .orderBy(desc(checkpoints.isBest), desc(checkpoints.isFinal), desc(checkpoints.stepNumber))
    .limit(1);
  return found;
}

/** Returns what is in service under a name, with its checkpoint. */
async function incumbentOf(ctx: Ctx, name: string) {
  const [found] = await ctx.db
    .select({ deployment: deployments, checkpoint: checkpoints })
    .from(deployments)
    .innerJoin(
      checkpoints,
      and(eq(checkpoints.projectId, deployments.projectId), eq(checkpoints.id, deployments.checkpointId)),
    )
    .where(and(isNamed(ctx, name), isInService()))
    .orderBy(desc(deployments.startedAt))
    .limit(1);
  return found ?? null;
}

async function isSuperseded({ db, projectId }: Ctx, { configId, createdAt }: DecisionRow): Promise<boolean> {
  const later = and(
    eq(rolloutDecisions.projectId, projectId),
    eq(rolloutDecisions.configId, configId),
    gt(rolloutDecisions.createdAt, createdAt),
  );
  return (await db.$count(rolloutDecisions, later)) > 0;
}

type Course = { ctx: Ctx; row: DecisionRow; gates: Gate[] };
type Outcome = NonNullable<DecisionRow["outcome"]>;

async function decide({ ctx, row, gates }: Course, outcome: Outcome, reason: string, message: string): Promise<Turn> {
  await change(ctx, row.id, { outcome, reason, message: message.slice(0, 1000), gates, dueAt: null });
  return { done: true };
}

async function wait({ ctx, row, gates }: Course, more: Change = {}): Promise<Turn> {
  await change(ctx, row.id, { ...more, gates, dueAt: inMs(LOOK_MS) });
  return { done: false };
}

/** Records a gate's judgement. Returns the turn if this gate ends it; `null` if the next gate can be checked. */
async function pass(course: Course, judged: Gate, more: Change = {}): Promise<Turn | null> {
  course.gates.push(judged);
  if (judged.status === "waiting") return wait(course, more);
  if (judged.status === "failed") return decide(course, "skipped", judged.gate, judged.message);
  return null;
}

type Incumbent = Awaited<ReturnType<typeof incumbentOf>>;

async function comparePreserved(
  { ctx, row }: Course,
  candidate: Checkpoint,
  incumbent: Incumbent,
  rooms: ServingGates,
): Promise<{ evaluationId: string | null; judged: Parameters<typeof judgePreserved>[0] }> {
  const known = row.evaluationId;
  if (known !== null) return { evaluationId: known, judged: await rooms.readComparison(ctx, known) };
  if (!incumbent) {
    return { evaluationId: null, judged: { status: "none", message: "Nothing is deployed under this name yet." } };
  }
  const input = { checkpointId: candidate.id, baselineCheckpointId: incumbent.checkpoint.id };
  if (input.checkpointId === input.baselineCheckpointId) {
    return { evaluationId: null, judged: { status: "none", message: "This checkpoint is already deployed." } };
  }
  try {
    return { evaluationId: await rooms.startComparison(ctx, input), judged: { status: "waiting" } };
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "unprocessable") throw error;
    return { evaluationId: null, judged: { status: "nothing_held_out", message: error.message } };
  }
}

/**
 * Queues the deployment and records it in the decision, in one transaction. Waits while the trainer is unreachable or the name
 * is busy.
 */
async function deploy(course: Course, candidate: Checkpoint, name: string, incumbent: Incumbent): Promise<Turn> {
  const { ctx, row, gates } = course;
  try {
    const prepared = await prepareDeployment(ctx, {
      checkpointId: candidate.id,
      name,
      backend: incumbent?.deployment.backend ?? "auto",
      quantization: incumbent?.deployment.quantization ?? null,
      timeoutSeconds: TIMEOUT_SECONDS,
      force: false,
    });
    gates.push(judgeDeployment("waiting", "It is being deployed."));
    await inTransaction(ctx, async (tx) => {
      const { id } = await queueDeployment(tx, prepared);
      await change(tx, row.id, { deploymentId: id, gates, dueAt: inMs(LOOK_MS) });
    });
    return { done: false };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const mayPass = error.code === "unavailable" || error.code === "conflict";
    const isPatient = (await databaseNow(ctx.db)) - row.createdAt < PATIENCE_MS;
    const judged = judgeDeployment(mayPass && isPatient ? "waiting" : "failed", error.message);
    const ended = await pass({ ...course, gates: gates.filter((one) => one.gate !== "deployment") }, judged);
    return ended ?? { done: false };
  }
}

/** Decides according to the outcome of the deployment. */
async function follow(course: Course, deploymentId: string): Promise<Turn> {
  const { ctx, row } = course;
  const gates = (row.gates as Gate[]).filter((one) => one.gate !== "deployment");
  const found = await findDeployment(ctx, deploymentId);
  if (!found) return decide(course, "failed", "deployment", "The deployment no longer exists.");
  const { status, name, error, startedAt } = found;
  const judged = (state: Gate["status"], message: string) => ({
    ...course,
    gates: [...gates, judgeDeployment(state, message)],
  });
  if (startedAt !== null) {
    const message = `It is running as “${name}”.`;
    return decide(judged("passed", message), "deployed", "deployed", message);
  }
  if (found.endedAt === null) return wait(judged("waiting", `It is being deployed: ${status}.`));
  const message = String(error?.message ?? "It was stopped before it was running.");
  return decide(judged("failed", message), "failed", "deployment", message);
}

/**
 * Decides whether a finished job's checkpoint is deployed automatically: checks the gates in order, and deploys it if none
 * fails. Waits for gates that take time; a decision is made once, with the reason.
 */
export async function runRollout(ctx: Ctx, decisionId: string, rooms: ServingGates = SERVING_GATES): Promise<Turn> {
  const found = await read(ctx, decisionId);
  if (!found || found.row.outcome !== null) return { done: true };
  const { row, config, trainerId } = found;
  const course: Course = { ctx, row, gates: [] };
  if (row.deploymentId !== null) return follow(course, row.deploymentId);
  const policy = config.deployment as Policy;
  if (!policy.enabled)
    return decide(course, "skipped", "disabled", "Automatic deployment was turned off in the meantime.");
  if (await isSuperseded(ctx, row)) {
    return decide(course, "skipped", "superseded", "A later job of this configuration has succeeded in the meantime.");
  }

  const candidate = await candidateOf(ctx, row.jobId);
  const usable = candidate && { profile: candidate.inferenceProfile, taintedAt: candidate.taintedAt };
  if (candidate) await change(ctx, row.id, { checkpointId: candidate.id });
  const first = await pass(course, judgeCheckpoint(usable));
  if (first || !candidate) return first ?? { done: true };

  const name = servedNameOf(config);
  const incumbent = await incumbentOf(ctx, name);
  const loss = judgeLoss(candidate, incumbent?.checkpoint ?? null, policy.maxLossIncrease);
  const second = await pass(course, loss);
  if (second) return second;

  const form = formOf(incumbent?.deployment.quantization ?? null);
  const input = { checkpointId: candidate.id, trainerId: trainerId ?? "", form, since: row.createdAt };
  const { status, certificateId, problem } = await rooms.ensureParity(ctx, input);
  await change(ctx, row.id, { certificateId });
  const third = await pass(course, judgeParity(form, status, problem?.message));
  if (third) return third;

  const { evaluationId, judged } = await comparePreserved(course, candidate, incumbent, rooms);
  if (evaluationId !== null) await change(ctx, row.id, { evaluationId });
  const fourth = await pass(course, judgePreserved(judged, policy.maxPreserveDrop));
  return fourth ?? deploy(course, candidate, name, incumbent);
}

/** Wakes the due decisions of all projects. */
export const wakeRollouts = (db: Db): Promise<number> =>
  wakeDue(db, rolloutDecisions, ({ projectId, id }) => rolloutDue.create({ projectId, decisionId: id }));
