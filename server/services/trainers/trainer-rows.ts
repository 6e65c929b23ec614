import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { sampleProjects, trainers } from "@/db/schema";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { NO_TRAINER, namedTrainer } from "./attachment";

export type TrainerRow = typeof trainers.$inferSelect & {
  /** When the row was read, by the database's clock. */
  readAt: number;
};

/** The fields of a trainer's row that a call needs. */
export type CalledTrainer = Pick<TrainerRow, "id" | "kind" | "error" | "lastSeenAt" | "readAt">;

/** Keeps the row of the trainer configured by the operator in sync with its address. Another host counts as another machine. */
async function syncNamedTrainer(db: Db, name: string): Promise<void> {
  await db
    .insert(trainers)
    .values({ id: newId("trn"), kind: "url", name, updatedAt: NOW })
    .onConflictDoUpdate({
      target: trainers.kind,
      targetWhere: sql`kind = 'url'`,
      set: { name, capabilities: null, capabilitiesHash: null, bootId: null, error: null, lastSeenAt: null },
      setWhere: sql`${trainers.name} <> excluded.name`,
    });
}

const read = (db: Db, kinds: TrainerRow["kind"][]) =>
  db
    .select({ row: trainers, readAt: sql<string>`${NOW}` })
    .from(trainers)
    .where(and(isNull(trainers.disabledAt), inArray(trainers.kind, kinds)))
    .orderBy(trainers.createdAt, trainers.id);

/** Returns the attached trainers, oldest first. */
export async function attachedTrainers(db: Db): Promise<TrainerRow[]> {
  const named = namedTrainer();
  const kinds: TrainerRow["kind"][] = named ? ["url", "agent"] : ["agent"];
  let found = await read(db, kinds);
  if (named && found.find(({ row }) => row.kind === "url")?.row.name !== new URL(named.url).host) {
    await syncNamedTrainer(db, new URL(named.url).host);
    found = await read(db, kinds);
  }
  return found.map(({ row, readAt }) => ({ ...row, readAt: Number(readAt) }));
}

/** Returns whether any trainer is attached. */
export async function isTrainerAttached(db: Db): Promise<boolean> {
  if (namedTrainer()) return true;
  const [agent] = await db
    .select({ id: trainers.id })
    .from(trainers)
    .where(and(eq(trainers.kind, "agent"), isNull(trainers.disabledAt)))
    .limit(1);
  return agent !== undefined;
}

/** Returns whether a project is the sample, whose training was recorded and can be viewed without a trainer. */
const isSample = async ({ db, projectId }: { db: Db; projectId: string }) =>
  (await db.$count(sampleProjects, eq(sampleProjects.projectId, projectId))) > 0;

/** Throws the 501 that says how to attach a trainer, unless one is attached. */
async function requireAttachedTrainer({ db }: { db: Db }): Promise<void> {
  if (!(await isTrainerAttached(db))) throw new ServiceError("not_implemented", NO_TRAINER);
}

/** Does the same, except in the sample. */
export async function requireTrainer(ctx: { db: Db; projectId: string }): Promise<void> {
  if (!(await isSample(ctx))) await requireAttachedTrainer(ctx);
}

/** Longer than any silence of a healthy trainer: an agent's long poll takes 50 s, and others are called every 20 s. */
const SILENCE_MS = 90_000;

export const isOnline = ({ lastSeenAt, error, readAt }: CalledTrainer) =>
  error === null && lastSeenAt !== null && readAt - lastSeenAt <= SILENCE_MS;
