import { createHash } from "node:crypto";
import { and, eq } from "drizzle-orm";
import { NOW } from "@/db/now";
import { checkpoints, deployments, trainingJobs, tuningConfigs } from "@/db/schema";
import { auditActor, recordAudit } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { deploymentDue } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { holdCheckpoints } from "@/server/services/models";
import { attachedTrainers, inMs, ONLY_RECORDED, RECORDED_TRAINER, readCapabilities } from "@/server/services/trainers";
import { type DeploymentRow, isInService, isRollOut, lockNamed } from "./read-deployments";
import { requireServable, type ServeBackend } from "./servable";

/** Extra time for the trainer to report that its own time limit has passed. */
const SLACK_MS = 30_000;
const NAME_CHARACTERS = 63;
const TRIES = 3;

export type Wish = {
  checkpointId: string;
  /** Default: derived from the name of its tuning configuration or job. */
  name?: string | undefined;
  backend: ServeBackend | "auto";
  quantization: string | null;
  timeoutSeconds: number;
  force: boolean;
};

/** A checkpoint that can be served as requested, by the trainer that has it. */
export type Candidate = Wish & { name: string; trainerId: string; tuningConfigId: string | null };

/**
 * Returns the name under which a configuration's checkpoints are served: set for its deployment, or derived from its own name.
 */
export const servedNameOf = ({
  name,
  deployment,
}: Pick<typeof tuningConfigs.$inferSelect, "name" | "deployment">): string =>
  (deployment as { name?: string | null }).name ?? nameOf(name);

/** Converts a name to a valid deployment name: lower-case letters, digits, dots, hyphens and underscores. */
function nameOf(text: string): string {
  const name = text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[^a-z0-9._-]+/g, "-")
    .replace(/^dep_/, "dep-")
    .slice(0, NAME_CHARACTERS)
    .replace(/^[^a-z0-9]+/, "")
    .replace(/[^a-z0-9]+$/, "");
  // Text in another alphabet leaves nothing; the replacement must still be distinct.
  return name || `model-${createHash("sha256").update(text).digest("hex").slice(0, 8)}`;
}

/** Returns a trainer's capabilities; throws a 503 if it cannot be reached. */
export async function capabilitiesOf(ctx: Ctx, trainerId: string) {
  if (trainerId === RECORDED_TRAINER) throw new ServiceError("unprocessable", ONLY_RECORDED);
  const row = (await attachedTrainers(ctx.db)).find(({ id }) => id === trainerId);
  if (!row) throw new ServiceError("unprocessable", "The trainer that has this checkpoint is no longer attached.");
  if (row.capabilities === null) {
    throw new ServiceError("unavailable", `The trainer cannot be reached. ${row.error ?? ""}`.trim(), {
      retryAfter: 30,
    });
  }
  return readCapabilities(row.capabilities);
}

/**
 * Returns a checkpoint that can be served; throws 404 for an unknown one, 409 for a deleted one, and 422 with the reason for
 * one that cannot be served.
 */
export async function prepareDeployment(ctx: Ctx, wish: Wish): Promise<Candidate> {
  const [found] = await ctx.db
    .select({
      checkpoint: checkpoints,
      job: trainingJobs,
      config: { name: tuningConfigs.name, deployment: tuningConfigs.deployment },
    })
    .from(checkpoints)
    .innerJoin(
      trainingJobs,
      and(eq(trainingJobs.projectId, checkpoints.projectId), eq(trainingJobs.id, checkpoints.jobId)),
    )
    .leftJoin(
      tuningConfigs,
      and(eq(tuningConfigs.projectId, trainingJobs.projectId), eq(tuningConfigs.id, trainingJobs.tuningConfigId)),
    )
    .where(and(eq(checkpoints.projectId, ctx.projectId), eq(checkpoints.id, wish.checkpointId)));
  if (!found) throw notFound("The checkpoint");
  const { checkpoint, job, config } = found;
  if (checkpoint.state === "pruned") {
    throw new ServiceError("conflict", "The trainer deleted this checkpoint's files.");
  }
  const trainerId = job.trainerId ?? "";
  requireServable(wish, checkpoint.inferenceProfile, await capabilitiesOf(ctx, trainerId));
  const name = wish.name ?? (config ? servedNameOf(config) : nameOf(job.name));
  return { ...wish, name, trainerId, tuningConfigId: job.tuningConfigId };
}

const isSame = (row: DeploymentRow, { checkpointId, backend, quantization }: Candidate) =>
  row.checkpointId === checkpointId &&
  row.quantization === quantization &&
  (backend === "auto" || row.backend === backend);

const serving = (row: DeploymentRow) => `“${row.name}”`;

/**
 * Queues a deployment in the caller's transaction and returns its id. If the same one is already starting or running, returns
 * that one; if a different one is starting under this name, throws a 409.
 */
async function insertDeployment(tx: Ctx, candidate: Candidate): Promise<{ id: string; isNew: boolean }> {
  for (let tries = 0; tries < TRIES; tries += 1) {
    const found = await insertOrFind(tx, candidate);
    if (found) return found;
  }
  throw new ServiceError("conflict", `Another deployment of “${candidate.name}” has just started. Try again.`);
}

/** Returns `undefined` if another deployment of the name was inserted concurrently; a retry will see it. */
async function insertOrFind(tx: Ctx, candidate: Candidate): Promise<{ id: string; isNew: boolean } | undefined> {
  const { name } = candidate;
  const [rollOut] = await lockNamed(tx, name, isRollOut());
  if (rollOut && isSame(rollOut, candidate)) return { id: rollOut.id, isNew: false };
  if (rollOut) {
    const message = `Another deployment of ${serving(rollOut)} is in progress (${rollOut.id}). Wait for it, or stop it first.`;
    throw new ServiceError("conflict", message);
  }
  const [current] = await lockNamed(tx, name, and(isInService(), eq(deployments.status, "running")));
  if (current && isSame(current, candidate)) return { id: current.id, isNew: false };
  const { checkpointId, backend, quantization, timeoutSeconds, force, trainerId, tuningConfigId } = candidate;
  const id = await insert(tx, {
    purpose: "service",
    name,
    checkpointId,
    backend: backend === "auto" ? null : backend,
    quantization,
    isForced: force,
    timeoutSeconds,
    trainerId,
    tuningConfigId,
  });
  return id === null ? undefined : { id, isNew: true };
}

/** Calls `insertDeployment`, and records a new deployment in the audit log. */
export async function queueDeployment(tx: Ctx, candidate: Candidate): Promise<{ id: string; isNew: boolean }> {
  const queued = await insertDeployment(tx, candidate);
  const { checkpointId, name, backend, quantization, force } = candidate;
  if (queued.isNew) {
    await recordAudit(tx.db, {
      action: "deployments.queue",
      projectId: tx.projectId,
      actor: auditActor(tx.actor),
      request: tx.request,
      target: { type: "deployment", id: queued.id },
      after: { checkpointId, name, backend, quantization, force },
    });
  }
  return queued;
}

type Values = Omit<
  typeof deployments.$inferInsert,
  "projectId" | "id" | "status" | "deadlineAt" | "dueAt" | "updatedAt" | "actorKind" | "actorId"
>;

/**
 * Stores a deployment that its background job will start, and returns its id; `null` if another one of its name is starting.
 * Throws a 409 if its checkpoint was deleted.
 */
export async function insert(tx: Ctx, values: Values): Promise<string | null> {
  await holdCheckpoints(tx, [values.checkpointId ?? null]);
  const id = newId("dep");
  const [stored] = await tx.db
    .insert(deployments)
    .values({
      ...values,
      projectId: tx.projectId,
      id,
      status: "pending",
      stageDetail: "Waiting for the trainer",
      deadlineAt: inMs(values.timeoutSeconds * 1000 + SLACK_MS),
      dueAt: NOW,
      updatedAt: NOW as never,
      actorKind: tx.actor.kind,
      actorId: auditActor(tx.actor).id,
    })
    .onConflictDoNothing()
    .returning({ id: deployments.id });
  if (!stored) return null;
  await emit(tx.db, deploymentDue.create({ projectId: tx.projectId, deploymentId: id }));
  return id;
}
