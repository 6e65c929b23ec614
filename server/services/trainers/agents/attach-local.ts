import { and, eq, isNull } from "drizzle-orm";
import type { Db } from "@/db/client";
import { trainers } from "@/db/schema";
import { ServiceError } from "@/server/platform/errors";
import { authenticateAgent } from "./authenticate-agent";
import { addTrainer } from "./manage-agents";

/** The names that an earlier release gave a trainer that it called on its own machine: host and port. */
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])(?::\d+)?$/;

/** Returns the id of the trainer that an earlier release called on this machine. */
async function calledBefore(db: Db): Promise<string | undefined> {
  const rows = await db
    .select({ id: trainers.id, name: trainers.name })
    .from(trainers)
    .where(and(eq(trainers.kind, "url"), isNull(trainers.disabledAt)));
  return rows.find(({ name }) => LOOPBACK.test(name))?.id;
}

/**
 * Returns the key of the trainer on this machine: the given one while it is valid, otherwise a new one. A trainer that an
 * earlier release called on this machine gets it, with its jobs and checkpoints; without one, a trainer is added. The caller
 * must be the operator.
 */
export async function attachLocal(db: Db, { name, key }: { name: string; key: string | undefined }): Promise<string> {
  if (key !== undefined) {
    try {
      await authenticateAgent(db, `Bearer ${key}`);
      return key;
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
    }
  }
  return (await addTrainer({ db, operator: true }, { name, trainerId: await calledBefore(db) })).key;
}
