import { and, eq, inArray, isNotNull, isNull, type SQL } from "drizzle-orm";
import { deployments } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { publicUrl } from "@/server/platform/public-url";
import { trainerProblem } from "@/server/services/trainers/schemas";
import type { Deployment } from "./schemas";

export type DeploymentRow = typeof deployments.$inferSelect;
type Project = Pick<Ctx, "projectId">;

/** The statuses before `running`, at the first start or after a crash. */
export const STARTING = ["pending", "preparing", "starting", "verifying"] as const;

/** Restricts a query to one deployment of the project. */
export const isDeployment = ({ projectId }: Project, id: string) =>
  and(eq(deployments.projectId, projectId), eq(deployments.id, id));

/** Condition: it is starting for the first time. */
export const isRollOut = () => and(isNull(deployments.startedAt), inArray(deployments.status, [...STARTING]));

/** Condition: it has run, and has not been stopped. */
export const isInService = () =>
  and(isNotNull(deployments.startedAt), inArray(deployments.status, [...STARTING, "running"]));

export const isNamed = ({ projectId }: Project, name: string) =>
  and(eq(deployments.projectId, projectId), eq(deployments.name, name), eq(deployments.purpose, "service"));

const pathOf = (projectId: string, idOrName: string) =>
  publicUrl(`v1/projects/${encodeURIComponent(projectId)}/deployments/${encodeURIComponent(idOrName)}/v1`);

export function deploymentJson({
  projectId,
  name,
  baseModel,
  error,
  dispatchedAt: _,
  dueAt: __,
  ...row
}: DeploymentRow) {
  const isRunning = row.status === "running";
  const model = baseModel as { id: string; revision?: string | null } | null;
  return {
    ...row,
    model: name,
    baseModel: model && { id: model.id, revision: model.revision ?? null },
    endpoint: isRunning ? pathOf(projectId, row.id) : null,
    nameEndpoint: isRunning && row.purpose === "service" ? pathOf(projectId, name) : null,
    error: error && trainerProblem.parse(error),
  } satisfies Deployment;
}

export async function findDeployment({ db, ...ctx }: Ctx, id: string): Promise<DeploymentRow | undefined> {
  const [row] = await db.select().from(deployments).where(isDeployment(ctx, id));
  return row;
}

/** Returns a deployment, or throws a 404. */
export async function readDeployment(ctx: Ctx, id: string): Promise<DeploymentRow> {
  const row = await findDeployment(ctx, id);
  if (!row) throw notFound("The deployment");
  return row;
}

/** Returns a deployment, locked until the transaction ends, or throws a 404. */
export async function lockDeployment(tx: Ctx, id: string): Promise<DeploymentRow> {
  const [row] = await tx.db.select().from(deployments).where(isDeployment(tx, id)).for("update");
  if (!row) throw notFound("The deployment");
  return row;
}

/** Returns the deployments of a name that meet the condition, locked in a fixed order. */
export const lockNamed = (tx: Ctx, name: string, condition: SQL | undefined): Promise<DeploymentRow[]> =>
  tx.db
    .select()
    .from(deployments)
    .where(and(eq(deployments.projectId, tx.projectId), eq(deployments.name, name), condition))
    .orderBy(deployments.id)
    .for("update");
