import { and, eq, isNull, sql } from "drizzle-orm";
import { gatewayAliases, gatewayExperiments } from "@/db/schema";
import type { GatewayTarget } from "@/db/schema/json";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { modelConnections } from "@/server/services/connections";
import { servedNames } from "@/server/services/serving";
import type { AliasTarget, GatewayAlias } from "./schemas";

export type AliasRow = typeof gatewayAliases.$inferSelect;

/** What can be called now: ids of model connections, and names of running deployments. */
type Callable = { connections: ReadonlySet<string>; deployments: ReadonlySet<string> };
/** What of an alias is not in its row: what can be called, and the experiments that run, by alias. */
type Around = Callable & { experiments: ReadonlyMap<string, GatewayAlias["experiment"]> };

async function readCallable(ctx: Ctx): Promise<Callable> {
  const connections = new Set((await modelConnections(ctx)).map(({ id }) => id));
  return { connections, deployments: new Set((await servedNames(ctx)).map(({ name }) => name)) };
}

export async function readAround(ctx: Ctx): Promise<Around> {
  const { id, name, share, variantId, variantName, variantVersion, aliasId } = gatewayExperiments;
  const running = await ctx.db
    .select({ id, name, share, variantId, variantName, variantVersion, aliasId })
    .from(gatewayExperiments)
    .where(and(eq(gatewayExperiments.projectId, ctx.projectId), isNull(gatewayExperiments.endedAt)));
  return {
    ...(await readCallable(ctx)),
    experiments: new Map(running.map(({ aliasId: of, ...experiment }) => [of, experiment])),
  };
}

const targetJson = (target: GatewayTarget, { connections, deployments }: Callable): AliasTarget =>
  "deployment" in target
    ? { ...target, connectionId: null, model: null, callable: deployments.has(target.deployment) }
    : { ...target, deployment: null, callable: connections.has(target.connectionId) };

export const aliasJson = ({ projectId: _, ...row }: AliasRow, around: Around): GatewayAlias => ({
  ...row,
  targets: row.targets.map((target) => targetJson(target, around)),
  experiment: around.experiments.get(row.id) ?? null,
});

/** Returns what the audit log records of an alias. */
export const audited = ({ projectId: _, id: __, createdAt: ___, updatedAt: ____, ...row }: AliasRow) => row;

export const isAlias = ({ projectId }: Pick<Ctx, "projectId">, id: string) =>
  and(eq(gatewayAliases.projectId, projectId), eq(gatewayAliases.id, id));

/** Reads an alias that the transaction is about to change or delete. */
export async function lockAlias(tx: Ctx, id: string): Promise<AliasRow> {
  const [row] = await tx.db.select().from(gatewayAliases).where(isAlias(tx, id)).for("update");
  if (!row) throw notFound("The alias");
  return row;
}

/** Throws 422 for a target whose connection is none of the project's. Deployments come and go under their names. */
export async function requireTargets(ctx: Ctx, targets: readonly GatewayTarget[]): Promise<void> {
  const { connections } = await readCallable(ctx);
  const errors = targets.flatMap((target, at) =>
    "deployment" in target || connections.has(target.connectionId)
      ? []
      : [{ path: `/targets/${at}/connectionId`, message: "The model connection was not found in this project." }],
  );
  const [first] = errors;
  if (first) throw new ServiceError("unprocessable", first.message, { errors });
}

/** Serializes counting and choosing names: aliases created or renamed concurrently would not see each other. */
export const lockNames = ({ db, projectId }: Ctx) =>
  db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`gateway aliases ${projectId}`}, 0))`);

export const nameTaken = (name: string) =>
  new ServiceError("conflict", `There is an alias ${name} already. Choose another name, or change that one.`);
