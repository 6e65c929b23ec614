import { and, eq, inArray, or, sql } from "drizzle-orm";
import { deployments } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { type DeploymentRow, isInService, isNamed, STARTING } from "../read-deployments";

const RETRY_SECONDS = 2;

/** Returns the deployment with this id, or else what is in service under this name. Throws unless it runs. */
export async function findTarget({ db, ...ctx }: Ctx, idOrName: string): Promise<DeploymentRow> {
  const hasId = and(eq(deployments.projectId, ctx.projectId), eq(deployments.id, idOrName));
  const [found] = await db
    .select()
    .from(deployments)
    .where(or(hasId, and(isNamed(ctx, idOrName), inArray(deployments.status, [...STARTING, "running"]))))
    // A new version that has not begun to run is not what the name stands for.
    .orderBy(sql`${deployments.status} = 'running' desc`, sql`${isInService()} desc`)
    .limit(1);
  if (!found) throw notFound("The deployment");
  if (found.status === "running") return found;
  const { id, status } = found;
  if (found.endedAt === null && status !== "stopping") {
    const message =
      found.startedAt === null
        ? `The deployment ${id} does not run yet: it is ${status}.`
        : `The deployment ${id} is being restarted after a crash.`;
    throw new ServiceError("unavailable", message, { retryAfter: RETRY_SECONDS });
  }
  throw new ServiceError("conflict", `The deployment ${id} takes no calls: it is ${status}.`);
}
