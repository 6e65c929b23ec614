import { and, eq, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { deployments, trainers } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import type { CalledTrainer } from "@/server/services/trainers";
import { isInService, isNamed, STARTING } from "../deployments/read-deployments";

const RETRY_SECONDS = 2;

/** The columns of a deployment that a call needs. Only a few, because serializing columns takes half of this query's time. */
const FIELDS = {
  id: deployments.id,
  name: deployments.name,
  purpose: deployments.purpose,
  status: deployments.status,
  checkpointId: deployments.checkpointId,
  createdAt: deployments.createdAt,
  startedAt: deployments.startedAt,
  endedAt: deployments.endedAt,
};
const TRAINER_FIELDS = {
  id: trainers.id,
  kind: trainers.kind,
  error: trainers.error,
  lastSeenAt: trainers.lastSeenAt,
};
export type ServedDeployment = Pick<typeof deployments.$inferSelect, keyof typeof FIELDS>;

/** A deployment with the trainer that serves it; `null` once the trainer is no longer attached. */
export type Target = { deployment: ServedDeployment; trainer: CalledTrainer | null };

async function read({ db, projectId }: Ctx, condition: SQL | undefined): Promise<Target | undefined> {
  const [found] = await db
    .select({ deployment: FIELDS, trainer: TRAINER_FIELDS, readAt: sql<string>`${NOW}` })
    .from(deployments)
    .leftJoin(trainers, and(eq(trainers.id, deployments.trainerId), isNull(trainers.disabledAt)))
    .where(and(eq(deployments.projectId, projectId), condition))
    // A name refers to the running version, not to a new one that has not started yet.
    .orderBy(sql`${deployments.status} = 'running' desc`, sql`${isInService()} desc`)
    .limit(1);
  return found && { ...found, trainer: found.trainer && { ...found.trainer, readAt: Number(found.readAt) } };
}

/**
 * Returns the deployment with this id, or running under this name: two lookups in unique indexes, with a plan that Postgres
 * caches.
 */
function findRunning(ctx: Ctx, idOrName: string): Promise<Target | undefined> {
  const named = sql`(select ${deployments.id} from ${deployments}
    where ${isNamed(ctx, idOrName)} and ${deployments.status} = 'running')`;
  return read(ctx, sql`${deployments.id} in (${idOrName}, ${named})`);
}

/**
 * Returns the deployment with this id, or otherwise the one in service under this name, with its trainer. Throws unless it is
 * running.
 */
export async function findTarget(ctx: Ctx, idOrName: string): Promise<Target> {
  const running = await findRunning(ctx, idOrName);
  if (running?.deployment.status === "running") return running;
  const isCalledSo = and(isNamed(ctx, idOrName), inArray(deployments.status, [...STARTING, "running"]));
  const found = await read(ctx, or(eq(deployments.id, idOrName), isCalledSo));
  if (!found) throw notFound("The deployment");
  const { id, status, endedAt, startedAt } = found.deployment;
  if (status === "running") return found;
  if (endedAt === null && status !== "stopping") {
    const message =
      startedAt === null
        ? `The deployment ${id} is not running yet: it is ${status}.`
        : `The deployment ${id} is being restarted after a crash.`;
    throw new ServiceError("unavailable", message, { retryAfter: RETRY_SECONDS });
  }
  // Not a conflict: clients of the OpenAI API would repeat the call.
  throw new ServiceError("invalid", `The deployment ${id} accepts no calls: it is ${status}.`);
}

/** Returns the names under which deployments run, with the time since when. */
export async function servedNames({ db, projectId }: Ctx): Promise<{ name: string; startedAt: number }[]> {
  const rows = await db
    .select({ name: deployments.name, startedAt: deployments.startedAt, createdAt: deployments.createdAt })
    .from(deployments)
    .where(
      and(eq(deployments.projectId, projectId), eq(deployments.purpose, "service"), eq(deployments.status, "running")),
    )
    .orderBy(deployments.name);
  return rows.map(({ name, startedAt, createdAt }) => ({ name, startedAt: startedAt ?? createdAt }));
}
