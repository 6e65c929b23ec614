import { isNull } from "drizzle-orm";
import { NOW } from "@/db/now";
import { deployments } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { hubAccess } from "@/server/services/models";
import {
  inMs,
  isForNow,
  NOT_THERE,
  openTrainer,
  problemOf,
  RETRY_MS,
  type TrainerClient,
  TrainerRefused,
  TrainerUnreachable,
  type Turn,
} from "@/server/services/trainers";
import { SERVING_GATES, type ServingGates } from "../serving-gates";
import {
  end,
  endStopped,
  giveUp,
  markStale,
  stopLate,
  storeHealth,
  storeProgress,
  switchTo,
  update,
} from "./change-deployment";
import { type DeploymentRow, findDeployment, isRollOut } from "./read-deployments";
import { formOf } from "./servable";
import { wireDeploymentOf } from "./wire-deployment";

/** How long one call waits for a deployment to settle; a request to stop it may have to wait as long. */
const WAIT_SECONDS = 5;
const CALL_MS = 15_000;
/** How soon a starting deployment is checked again. */
const SOON_MS = 1_000;
/** How long a trainer is told to stop what has ended here. */
const CLEANUP_MS = 86_400_000;
/** Polling interval for a comparison of answers, which takes minutes. */
const PARITY_MS = 2_000;

/**
 * Performs the next step of a deployment: has its form compared with the checkpoint, sends it to its trainer, follows it,
 * switches its name to it once it runs, watches its health, or stops it. Every call is idempotent by the deployment's id, so a
 * step can be interrupted anywhere and repeated. If the trainer is unreachable, the deployment stays as it is, with
 * `staleSince`.
 */
export async function runDeployment(ctx: Ctx, id: string, rooms: ServingGates = SERVING_GATES): Promise<Turn> {
  const row = await findDeployment(ctx, id);
  if (!row) return { done: true };
  if (row.endedAt !== null) return cleanUp(ctx, row);
  if (await stopLate(ctx, row)) return { done: false };
  try {
    const trainer = await openTrainer(ctx.db, row.trainerId);
    if (row.status === "stopping") await stop(ctx, trainer, row);
    else if (row.dispatchedAt !== null) await follow(ctx, trainer, row);
    else if (await mayServe(ctx, row, rooms)) await dispatch(ctx, trainer, row);
  } catch (error) {
    if (error instanceof TrainerUnreachable) await unreachable(ctx, row);
    else if (error instanceof TrainerRefused) await refused(ctx, row, error);
    else throw error;
  }
  const now = await findDeployment(ctx, id);
  // A running one is checked by the poll.
  return { done: !now || now.status === "running" || (now.endedAt !== null && now.dueAt === null) };
}

const pathOf = (id: string) => `/deployments/${encodeURIComponent(id)}`;

/** Returns whether the form may be served. Fails the deployment if it answers differently and is not forced. */
async function mayServe(ctx: Ctx, row: DeploymentRow, { ensureParity }: ServingGates): Promise<boolean> {
  const { id, checkpointId, trainerId } = row;
  if (checkpointId === null || row.purpose === "playground" || row.isForced) return true;
  const form = formOf(row.quantization);
  const input = { checkpointId, trainerId, form, since: row.createdAt };
  const { status, certificateId, problem } = await ensureParity(ctx, input);
  const changed = { certificateId, dueAt: inMs(PARITY_MS) };
  if (status === "passed") {
    await update(ctx, id, changed, isRollOut());
    return true;
  }
  if (status === "waiting") {
    await update(ctx, id, { ...changed, status: "preparing", stageDetail: "Comparing answers" }, isRollOut());
    return false;
  }
  await update(ctx, id, changed, isRollOut());
  const what = form ? `${form.kind === "gguf" ? "GGUF" : "compressed"} ${form.quantization}` : "The format";
  await end(ctx, id, {
    status: "failed",
    error:
      problem ??
      problemOf(
        "merge_parity_failed",
        `${what} answers differently from the checkpoint.`,
        "Check the comparison, choose another quantization, or deploy it anyway with `force`.",
      ),
  });
  return false;
}

/** Sends the deployment with the project's token for downloads; of what the trainer already has, only the token is replaced. */
async function send(ctx: Ctx, trainer: TrainerClient, row: DeploymentRow): Promise<void> {
  const { id, checkpointId, baseModel } = row;
  const model = baseModel as { id: string; revision: string | null; source: string; trustRemoteCode: boolean } | null;
  const json = {
    checkpoint_id: checkpointId,
    base: model && {
      id: model.id,
      revision: model.revision,
      source: model.source,
      checkpoint_id: null,
      trust_remote_code: model.trustRemoteCode,
    },
    served_model_name: row.name,
    backend: row.backend ?? "auto",
    quantization: row.quantization,
    timeout_seconds: row.timeoutSeconds,
    idle_timeout_seconds: row.idleSeconds,
  };
  const { json: hub, ...secret } = await hubAccess(ctx, trainer.trainerId, model?.source, "deployment_hub_token");
  await trainer.request({
    method: "PUT",
    path: pathOf(id),
    json: { ...json, ...hub },
    ...secret,
    projectId: ctx.projectId,
  });
}

async function dispatch(ctx: Ctx, trainer: TrainerClient, row: DeploymentRow): Promise<void> {
  const { id } = row;
  await send(ctx, trainer, row);
  const sent = await update(
    ctx,
    id,
    { dispatchedAt: NOW, staleSince: null, dueAt: inMs(SOON_MS) },
    isNull(deployments.endedAt),
  );
  // It ended here while it was being sent: its process must still be stopped.
  if (!sent) await update(ctx, id, { dueAt: NOW });
}

/** Stores what the trainer reports about it. */
async function follow(ctx: Ctx, trainer: TrainerClient, row: DeploymentRow): Promise<void> {
  const { id, startedAt } = row;
  const isOnItsWay = row.status !== "running";
  const { json } = await trainer.request({
    method: "GET",
    path: pathOf(id),
    ...(isOnItsWay ? { query: { settled: 1 }, headers: { prefer: `wait=${WAIT_SECONDS}` } } : {}),
    timeoutMs: CALL_MS,
    projectId: ctx.projectId,
  });
  const given = wireDeploymentOf(json);
  // Also without a token, if the project no longer has one: the trainer waits for either.
  if (given.lacks_hub_token) await send(ctx, trainer, row);
  const { status } = given;
  switch (status) {
    case "running":
      if (startedAt !== null) await storeHealth(ctx, row, { ...given, status });
      else if (!(await switchTo(ctx, row, given))) await stopLate(ctx, row);
      return;
    case "pending":
    case "preparing":
    case "starting":
    case "verifying":
      if (startedAt !== null) await storeHealth(ctx, row, { ...given, status });
      else await storeProgress(ctx, row, { ...given, status }, SOON_MS);
      return;
    case "stopping":
      await update(
        ctx,
        id,
        { status: "stopping", stageDetail: given.stage_detail ?? stoppedBecause(row), dueAt: inMs(SOON_MS) },
        isNull(deployments.endedAt),
      );
      return;
    case "stopped":
      await end(ctx, id, { status, error: null, stageDetail: given.stage_detail ?? stoppedBecause(row) });
      return;
    default:
      await end(ctx, id, { status, error: given.error ?? UNEXPLAINED, stageDetail: given.stage_detail ?? null });
  }
}

const UNEXPLAINED = problemOf("worker_vanished", "The trainer did not say why.", "See the trainer's own log.");
const LOST = problemOf(
  "worker_vanished",
  "The trainer no longer knows this deployment.",
  "Its home folder was deleted or replaced. Deploy the checkpoint again.",
);

const stoppedBecause = ({ purpose, idleSeconds }: DeploymentRow) =>
  purpose === "playground" && idleSeconds !== null
    ? `It received no calls for ${Math.round(idleSeconds / 60)} minutes`
    : "It was stopped on the trainer";

/** Tells the trainer to stop it, and ends it once its process is gone. */
async function stop(ctx: Ctx, trainer: TrainerClient, row: DeploymentRow): Promise<void> {
  if (await isGone(ctx, trainer, row)) {
    await endStopped(ctx, row);
    return;
  }
  await update(ctx, row.id, { staleSince: null, dueAt: inMs(SOON_MS) }, isNull(deployments.endedAt));
  await giveUp(ctx, row.id);
}

const ACCEPTED = 202;

async function isGone({ projectId }: Ctx, trainer: TrainerClient, { id }: DeploymentRow): Promise<boolean> {
  try {
    const { status } = await trainer.request({ method: "DELETE", path: pathOf(id), timeoutMs: CALL_MS, projectId });
    return status !== ACCEPTED;
  } catch (error) {
    // The trainer never received it.
    if (error instanceof TrainerRefused && error.status === NOT_THERE) return true;
    throw error;
  }
}

/** Tells the trainer to stop what has ended here, until it confirms that it is gone. */
async function cleanUp(ctx: Ctx, row: DeploymentRow): Promise<Turn> {
  if (row.dueAt === null) return { done: true };
  try {
    const trainer = await openTrainer(ctx.db, row.trainerId);
    if (await isGone(ctx, trainer, row)) {
      await update(ctx, row.id, { dueAt: null });
      return { done: true };
    }
  } catch (error) {
    if (!(error instanceof TrainerUnreachable || error instanceof TrainerRefused)) throw error;
  }
  const isHopeless = row.updatedAt - (row.endedAt ?? 0) > CLEANUP_MS;
  await update(ctx, row.id, { dueAt: isHopeless ? null : inMs(RETRY_MS) });
  return { done: true };
}

async function unreachable(ctx: Ctx, { id }: DeploymentRow): Promise<void> {
  await markStale(ctx, id, RETRY_MS);
  await giveUp(ctx, id);
}

/** Fails a deployment that its trainer refuses or has lost; after a temporary refusal it is sent again. */
async function refused(ctx: Ctx, { id, dispatchedAt }: DeploymentRow, error: TrainerRefused): Promise<void> {
  if (isForNow(error)) {
    await markStale(ctx, id, RETRY_MS);
    return;
  }
  const isLost = error.status === NOT_THERE && dispatchedAt !== null;
  await end(ctx, id, { status: "failed", error: isLost ? LOST : error.problem, isCleanupDue: !isLost });
}
