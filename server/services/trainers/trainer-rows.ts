import { eq, isNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { sampleProjects, trainers } from "@/db/schema";
import { ServiceError } from "@/server/platform/errors";
import { CALLED_BEFORE, NO_TRAINER } from "./agents/attachment";

export type TrainerRow = typeof trainers.$inferSelect & {
  /** When the row was read, by the database's clock. */
  readAt: number;
};

/** The fields of a trainer's row that a call needs. */
export type CalledTrainer = Pick<TrainerRow, "id" | "kind" | "error" | "lastSeenAt" | "readAt">;

/** Returns the trainers that were not removed, oldest first. */
export async function attachedTrainers(db: Db): Promise<TrainerRow[]> {
  const found = await db
    .select({ row: trainers, readAt: sql<string>`${NOW}` })
    .from(trainers)
    .where(isNull(trainers.disabledAt))
    .orderBy(trainers.createdAt, trainers.id);
  return found.map(({ row, readAt }) => ({ ...row, readAt: Number(readAt) }));
}

/** Returns whether a project is the sample, whose training was recorded and can be viewed without a trainer. */
const isSample = async ({ db, projectId }: { db: Db; projectId: string }) =>
  (await db.$count(sampleProjects, eq(sampleProjects.projectId, projectId))) > 0;

/** Throws the 501 that says how to attach a trainer, unless one is attached. */
async function requireAttachedTrainer({ db }: { db: Db }): Promise<void> {
  const kinds = await db.selectDistinct({ kind: trainers.kind }).from(trainers).where(isNull(trainers.disabledAt));
  if (kinds.some(({ kind }) => kind === "agent")) return;
  throw new ServiceError("not_implemented", kinds.length > 0 ? CALLED_BEFORE : NO_TRAINER);
}

/** Does the same, except in the sample. */
export async function requireTrainer(ctx: { db: Db; projectId: string }): Promise<void> {
  if (!(await isSample(ctx))) await requireAttachedTrainer(ctx);
}

/** Longer than any silence of a healthy trainer, whose long poll takes 50 s. */
const SILENCE_MS = 90_000;

export const isOnline = ({ kind, lastSeenAt, error, readAt }: CalledTrainer) =>
  kind === "agent" && error === null && lastSeenAt !== null && readAt - lastSeenAt <= SILENCE_MS;
