import { and, eq, inArray, isNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { sampleProjects, trainers } from "@/db/schema";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { NO_TRAINER, namedTrainer } from "./attachment";

export type TrainerRow = typeof trainers.$inferSelect & {
  /** When it was read, by the database's clock. */
  readAt: number;
};

/** What a call to a trainer needs of its row. */
export type CalledTrainer = Pick<TrainerRow, "id" | "kind" | "error" | "lastSeenAt" | "readAt">;

/** Makes the row of the trainer that the operator named follow its address. Another host is another machine. */
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

/** Returns the attached trainers, the oldest first. */
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

/** Whether a project is the sample, whose training was recorded: that can be looked at without a trainer. */
const isSample = async ({ db, projectId }: { db: Db; projectId: string }) =>
  (await db.$count(sampleProjects, eq(sampleProjects.projectId, projectId))) > 0;

/** Throws the 501 that says how a trainer is attached unless one is. */
export async function requireAttachedTrainer({ db }: { db: Db }): Promise<void> {
  if (!(await isTrainerAttached(db))) throw new ServiceError("not_implemented", NO_TRAINER);
}

/** Throws the same, but not in the sample. */
export async function requireTrainer(ctx: { db: Db; projectId: string }): Promise<void> {
  if (!(await isSample(ctx))) await requireAttachedTrainer(ctx);
}

/** A silence that a healthy trainer does not reach: an agent's long poll lasts 50 s, and others are called every 20 s. */
const SILENCE_MS = 90_000;

export const isOnline = ({ lastSeenAt, error, readAt }: CalledTrainer) =>
  error === null && lastSeenAt !== null && readAt - lastSeenAt <= SILENCE_MS;
