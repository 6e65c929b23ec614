import { and, eq, isNull, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { modelExports, trainingManifests } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { modelExportDue } from "@/server/platform/jobs/events";
import { hideHubToken, openHub } from "@/server/services/connections";
import { hubAccess, licenseOf, requireCheckpoint } from "@/server/services/models";
import { ensureParity } from "@/server/services/proof";
import {
  inMs,
  isForNow,
  NOT_THERE,
  openTrainer,
  POLL_MS,
  problemOf,
  RESTARTS_MAX,
  RETRY_MS,
  restartsOf,
  type TrainerClient,
  type TrainerProblem,
  TrainerRefused,
  TrainerUnreachable,
  type Turn,
  wakeDue,
  withRestart,
} from "@/server/services/trainers";
import { type ExportRow, isExport } from "./export-rows";
import { type ModelCard, modelCard } from "./model-card";
import { readWireExport } from "./wire-export";

/** Thrown for an export that cannot be published, with the reason. */
class Unpublishable extends Error {
  constructor(readonly problem: TrainerProblem) {
    super(problem.message);
  }
}

/**
 * Performs the next step of an export: waits for its parity certificate, sends it to its trainer with the hub's token, passes
 * on a cancellation, and stores the outcome. Every call is idempotent by the export's id, so a step can be interrupted anywhere
 * and repeated; the trainer looks for the id in the repository before it commits.
 */
export async function runExport(ctx: Ctx, exportId: string): Promise<Turn> {
  const row = await readRow(ctx, exportId);
  if (!row || row.finishedAt !== null) return { done: true };
  try {
    if (row.startedAt !== null || (await mayPublish(ctx, row))) await publish(ctx, exportId);
  } catch (error) {
    if (error instanceof TrainerUnreachable) await markStale(ctx, exportId);
    else if (error instanceof TrainerRefused) await refused(ctx, exportId, error);
    else if (error instanceof Unpublishable) await fail(ctx, row, error.problem);
    else throw error;
  }
  const now = await readRow(ctx, exportId);
  return { done: !now || now.finishedAt !== null };
}

async function publish(ctx: Ctx, exportId: string): Promise<void> {
  const row = await readRow(ctx, exportId);
  if (!row || row.finishedAt !== null) return;
  const trainer = await openTrainer(ctx.db, row.trainerId);
  if (row.dispatchedAt === null && row.cancelRequestedAt === null) await dispatch(ctx, trainer, row);
  await passOnCancellation(ctx, trainer, exportId);
  await follow(ctx, trainer, exportId);
}

async function readRow(ctx: Ctx, id: string): Promise<ExportRow | undefined> {
  const [row] = await ctx.db.select().from(modelExports).where(isExport(ctx, id));
  return row;
}

const update = (ctx: Ctx, id: string, changed: PgUpdateSetSource<typeof modelExports>) =>
  ctx.db
    .update(modelExports)
    .set({ ...changed, updatedAt: NOW })
    .where(and(isExport(ctx, id), isNull(modelExports.finishedAt)))
    .returning({ id: modelExports.id });

/** Returns the form whose answers are compared; `null` if the checkpoint itself is published. */
const formOf = ({ format, quantization }: ExportRow) =>
  format === "lora-adapter" ? null : { kind: format, quantization: format === "gguf" ? quantization : null };

/** Returns whether it is known to answer like the checkpoint, or is forced. */
async function mayPublish(ctx: Ctx, row: ExportRow): Promise<boolean> {
  const { checkpointId, trainerId, createdAt } = row;
  if (checkpointId === null || row.isForced) return true;
  const parity = await ensureParity(ctx, { checkpointId, trainerId, form: formOf(row), since: createdAt });
  const { status, certificateId, problem } = parity;
  if (status === "passed") {
    await update(ctx, row.id, { certificateId });
    return true;
  }
  await update(ctx, row.id, { certificateId, status: "preflight", staleSince: null, dueAt: inMs(POLL_MS) });
  if (status === "waiting") return false;
  throw new Unpublishable(unlike(problem));
}

const unlike = (problem: TrainerProblem | undefined) =>
  problemOf(
    "merge_parity_failed",
    problem
      ? `Its answers could not be compared with those of the checkpoint: ${problem.message}`
      : "It answers differently from the checkpoint that it is built from.",
    problem?.hint ?? "See the certificate. To publish it anyway, export it again with force.",
    { phase: "preflight" },
  );

/** The default branch of a public model. */
const MAIN = "main";

/** Sends the export with the token; a no-op if the trainer already has it and is working on it. */
async function dispatch(ctx: Ctx, trainer: TrainerClient, row: ExportRow): Promise<void> {
  const { id, checkpointId, hubModel, format, quantization, repoId, isPrivate, revision } = row;
  const card = await cardOf(ctx, row);
  const { endpoint, token } = await hubOf(ctx, row);
  // From here on the trainer may know it, even if its reply is lost, so a cancellation must be sent there too.
  const [wanted] = await ctx.db
    .update(modelExports)
    .set({ status: "preflight", startedAt: sql<number>`coalesce(${modelExports.startedAt}, ${NOW})`, updatedAt: NOW })
    .where(and(isExport(ctx, id), isNull(modelExports.finishedAt), isNull(modelExports.cancelRequestedAt)))
    .returning({ id: modelExports.id });
  if (!wanted) return;
  const source =
    checkpointId === null
      ? { hub_model: { id: hubModel?.id, revision: hubModel?.revision ?? MAIN, endpoint } }
      : { checkpoint_id: checkpointId };
  // An adapter is published without its base model.
  const needsBase = format !== "lora-adapter";
  const download = needsBase ? await hubAccess(ctx, trainer.trainerId, undefined, "build_hub_token") : {};
  await trainer.request({
    method: "PUT",
    path: `/exports/${id}`,
    json: {
      source,
      format,
      quantization,
      destination: { endpoint, repo_id: repoId, private: isPrivate, revision },
      card,
      ...download.json,
    },
    secret: token,
    downloadSecret: download.secret,
    projectId: ctx.projectId,
  });
  await update(ctx, id, { dispatchedAt: NOW });
}

const refusedByHub = (message: string) =>
  new Unpublishable(
    problemOf("hub_auth_failed", message, "Correct the connection, and export again.", {
      blame: "user",
      phase: "preflight",
    }),
  );

/** Opens the connection. Its token is sent only to the address for which it was chosen. */
async function hubOf(ctx: Ctx, { connectionId, endpoint }: ExportRow) {
  const hub = await openHub(ctx, connectionId, "export").catch((error) => {
    if (!(error instanceof ServiceError)) throw error;
    throw refusedByHub(error.code === "not_found" ? "The connection to the hub was deleted." : error.message);
  });
  if (hub.endpoint !== endpoint)
    throw refusedByHub("The connection now leads to a different hub than when this was requested.");
  return hub;
}

async function cardOf(ctx: Ctx, row: ExportRow): Promise<ModelCard> {
  if (row.checkpointId === null) return modelCard(row, null);
  const { checkpoint, job } = await requireCheckpoint(ctx, row.checkpointId);
  const [manifest] = await ctx.db
    .select({ rows: trainingManifests.rows })
    .from(trainingManifests)
    .where(and(eq(trainingManifests.projectId, ctx.projectId), eq(trainingManifests.sha256, job.manifestSha256)));
  const license = await licenseOf(ctx, checkpoint.baseModel.id);
  return modelCard(row, { license, method: job.method, rows: manifest?.rows ?? 0 });
}

/** Tells the trainer to stop, repeatedly until the export has ended. */
async function passOnCancellation(ctx: Ctx, trainer: TrainerClient, id: string): Promise<void> {
  const row = await readRow(ctx, id);
  if (!row || row.cancelRequestedAt === null) return;
  try {
    await trainer.request({ method: "POST", path: `/exports/${id}/cancel`, json: {}, projectId: ctx.projectId });
  } catch (error) {
    if (!(error instanceof TrainerRefused) || error.status === NOT_THERE || isForNow(error)) throw error;
    // It ended before it was cancelled: its status shows the outcome.
  }
}

const UNEXPLAINED = problemOf("export_failed", "The trainer did not say why the export failed.", null);

async function follow(ctx: Ctx, trainer: TrainerClient, id: string): Promise<void> {
  const row = await readRow(ctx, id);
  if (!row || row.finishedAt !== null || row.startedAt === null) return;
  const reply = await trainer.request({ method: "GET", path: `/exports/${id}`, projectId: ctx.projectId });
  const said = readWireExport(await hideHubToken(ctx, row.connectionId, reply.json), row.endpoint);
  if (!said) throw new TrainerUnreachable("The trainer's reply is not an export.");
  const { status, problem, progress, ...result } = said;
  if (status === "failed") {
    const failure = problem ?? UNEXPLAINED;
    const isLost = failure.code === "worker_vanished" && failure.retryable;
    if (isLost) await sendAgain(ctx, row, failure);
    else await end(ctx, id, { status, progress, error: failure });
    return;
  }
  if (status === "cancelled") return end(ctx, id, { status, progress });
  if (status === "succeeded") {
    if (result.commitOid === null) return end(ctx, id, { status: "failed", error: UNEXPLAINED });
    return end(ctx, id, { status, progress, ...result, error: null });
  }
  // Set here too, in case the reply to the dispatch was lost.
  const dispatchedAt = sql<number>`coalesce(${modelExports.dispatchedAt}, ${NOW})`;
  await update(ctx, id, { status, progress, dispatchedAt, staleSince: null, dueAt: inMs(POLL_MS) });
}

/** Sends what was lost with its process or with the trainer again; the next step reopens the connection. */
async function sendAgain(ctx: Ctx, row: ExportRow, problem: TrainerProblem): Promise<void> {
  if (row.cancelRequestedAt !== null) return end(ctx, row.id, { status: "cancelled" });
  if (restartsOf(row.error) >= RESTARTS_MAX) return end(ctx, row.id, { status: "failed", error: problem });
  await update(ctx, row.id, {
    dispatchedAt: null,
    staleSince: null,
    error: withRestart(problem, row.error),
    dueAt: inMs(RETRY_MS),
  });
}

const markStale = (ctx: Ctx, id: string) =>
  update(ctx, id, {
    staleSince: sql<number>`coalesce(${modelExports.staleSince}, ${NOW})`,
    dueAt: inMs(RETRY_MS),
  });

/** Fails an export that its trainer refuses; one that the trainer has lost is sent again. */
async function refused(ctx: Ctx, id: string, error: TrainerRefused): Promise<void> {
  const row = await readRow(ctx, id);
  if (!row || row.finishedAt !== null) return;
  if (error.status === NOT_THERE && row.startedAt !== null && row.cancelRequestedAt !== null) {
    return end(ctx, id, { status: "cancelled" });
  }
  if (isForNow(error)) return void (await markStale(ctx, id));
  if (error.status === NOT_THERE && row.dispatchedAt !== null) return sendAgain(ctx, row, error.problem);
  await fail(ctx, row, error.problem);
}

const fail = async (ctx: Ctx, { id, connectionId }: ExportRow, problem: TrainerProblem) =>
  end(ctx, id, { status: "failed", error: await hideHubToken(ctx, connectionId, problem) });

async function end(ctx: Ctx, id: string, changed: PgUpdateSetSource<typeof modelExports>): Promise<void> {
  await update(ctx, id, { ...changed, staleSince: null, dueAt: null, finishedAt: NOW });
}

/** Wakes the due exports of all projects. */
export const wakeExports = (db: Db): Promise<number> =>
  wakeDue(db, modelExports, ({ projectId, id }) => modelExportDue.create({ projectId, exportId: id }));
