import { and, eq, isNull, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { checkpoints, parityCertificates } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { parityCertificateDue } from "@/server/platform/jobs/events";
import { hubAccess } from "@/server/services/models";
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
import { type CertificateRow, formsOf, isCertificate } from "./certificate-rows";
import { readWireCertificate } from "./wire-certificate";

/** Maximum tokens per answer. */
const NEW_TOKENS_MAX = 48;

/**
 * Performs the next step of a certificate: has its trainer compare, and stores the result. Every call is idempotent by the
 * certificate's id, so a step can be interrupted anywhere and repeated.
 */
export async function runCertificate(ctx: Ctx, certificateId: string): Promise<Turn> {
  const row = await readRow(ctx, certificateId);
  if (!row || row.finishedAt !== null) return { done: true };
  try {
    const trainer = await openTrainer(ctx.db, row.trainerId);
    if (row.dispatchedAt === null) await dispatch(ctx, trainer, row);
    await follow(ctx, trainer, row);
  } catch (error) {
    if (error instanceof TrainerUnreachable) await markStale(ctx, certificateId);
    else if (error instanceof TrainerRefused) await refused(ctx, row, error);
    else throw error;
  }
  const now = await readRow(ctx, certificateId);
  return { done: !now || now.finishedAt !== null };
}

async function readRow(ctx: Ctx, id: string): Promise<CertificateRow | undefined> {
  const [row] = await ctx.db.select().from(parityCertificates).where(isCertificate(ctx, id));
  return row;
}

const update = (ctx: Ctx, id: string, changed: PgUpdateSetSource<typeof parityCertificates>) =>
  ctx.db
    .update(parityCertificates)
    .set({ ...changed, updatedAt: NOW })
    .where(and(isCertificate(ctx, id), isNull(parityCertificates.finishedAt)));

async function dispatch(ctx: Ctx, trainer: TrainerClient, row: CertificateRow): Promise<void> {
  const json = {
    checkpoint_id: row.checkpointId,
    forms: formsOf(row),
    deployment_id: row.deploymentId,
    max_new_tokens: NEW_TOKENS_MAX,
  };
  // Its base model may have left the trainer's cache since it was trained.
  const { json: hub, ...secret } = await hubAccess(ctx, trainer.trainerId, undefined, "build_hub_token");
  await trainer.request({
    method: "PUT",
    path: `/certificates/${row.id}`,
    json: { ...json, ...hub },
    ...secret,
    projectId: ctx.projectId,
  });
  await update(ctx, row.id, { dispatchedAt: NOW });
}

const UNEXPLAINED = problemOf("worker_vanished", "The trainer did not say why the comparison failed.", null);

async function follow(ctx: Ctx, trainer: TrainerClient, { id, checkpointId, ...row }: CertificateRow): Promise<void> {
  const { json } = await trainer.request({ method: "GET", path: `/certificates/${id}`, projectId: ctx.projectId });
  const said = readWireCertificate(json);
  if (!said) throw new TrainerUnreachable("The trainer's reply is not a certificate.");
  const { status, verdict, subjects, answers, problem } = said;
  if (status === "failed") {
    const failure = problem ?? UNEXPLAINED;
    if (isLost(failure) && restartsOf(row.error) < RESTARTS_MAX)
      return void (await restart(ctx, { ...row, id }, failure));
    return end(ctx, id, { status: "failed", error: failure });
  }
  if (status !== "ready" || verdict === null) {
    await update(ctx, id, { status: status === "ready" ? "running" : status, staleSince: null, dueAt: inMs(POLL_MS) });
    return;
  }
  await inTransaction(ctx, async (tx) => {
    // Serializes with deletions of text in its prompts: such a deletion waits here, or is already committed.
    const [checkpoint] = await tx.db
      .select({ taintedAt: checkpoints.taintedAt })
      .from(checkpoints)
      .where(and(eq(checkpoints.projectId, tx.projectId), eq(checkpoints.id, checkpointId)))
      .for("share");
    await end(tx, id, {
      status: "ready",
      verdict,
      subjects: subjects ?? [],
      answers: checkpoint?.taintedAt === null ? answers : null,
      error: null,
    });
  });
}

const isLost = ({ code, retryable }: TrainerProblem) => code === "worker_vanished" && retryable;

/** Has the trainer restart work that was lost with its process or with the trainer. */
const restart = (ctx: Ctx, { id, error }: Pick<CertificateRow, "id" | "error">, problem: TrainerProblem) =>
  update(ctx, id, {
    status: "queued",
    dispatchedAt: null,
    staleSince: null,
    error: withRestart(problem, error),
    dueAt: inMs(RETRY_MS),
  });

const markStale = (ctx: Ctx, id: string) =>
  update(ctx, id, {
    staleSince: sql<number>`coalesce(${parityCertificates.staleSince}, ${NOW})`,
    dueAt: inMs(RETRY_MS),
  });

/** Fails a certificate that its trainer refuses; one that the trainer has lost is sent again. */
async function refused(ctx: Ctx, row: CertificateRow, error: TrainerRefused): Promise<void> {
  if (isForNow(error)) return void (await markStale(ctx, row.id));
  const isGone = error.status === NOT_THERE && row.dispatchedAt !== null;
  if (isGone && restartsOf(row.error) < RESTARTS_MAX) return void (await restart(ctx, row, error.problem));
  await end(ctx, row.id, { status: "failed", error: error.problem });
}

async function end(ctx: Ctx, id: string, changed: PgUpdateSetSource<typeof parityCertificates>): Promise<void> {
  await update(ctx, id, { ...changed, staleSince: null, dueAt: null, finishedAt: NOW });
}

/** Wakes the due certificates of all projects. */
export const wakeCertificates = (db: Db): Promise<number> =>
  wakeDue(db, parityCertificates, ({ projectId, id }) => parityCertificateDue.create({ projectId, certificateId: id }));
