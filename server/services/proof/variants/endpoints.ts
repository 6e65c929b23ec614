import { type Ctx, requireCapability } from "@/server/platform/context";
import { ServiceError, unprocessable } from "@/server/platform/errors";
import { modelConnections } from "@/server/services/connections";
import type { BaseModelChoice } from "@/server/services/serving/deployments/schemas";
import { requireBaseModel } from "@/server/services/serving/playgrounds";
import { findTarget } from "@/server/services/serving/targets";
import { requireTrainer } from "@/server/services/trainers";

/** A base model as it is stored: of one revision. */
export type BaseModel = { id: string; revision: string | null; source: "hub" | "local" };
/** What answers: a model behind a connection, a deployment, whose name is its model's, or a base model on a trainer. */
export type Endpoint = {
  connectionId: string | null;
  deploymentId: string | null;
  baseModel: BaseModel | null;
  model: string;
};
type Chosen = {
  connectionId?: string | null | undefined;
  deploymentId?: string | null | undefined;
  baseModel?: BaseModelChoice | null | undefined;
  model?: string | undefined;
};

/**
 * Returns what is chosen. Throws 422, at `path` if it is not the endpoint's own field, unless it is a model connection, a running
 * deployment or a known base model of the project; 403 for a base model that the caller may not have served.
 */
export async function requireEndpoint(
  ctx: Ctx,
  { connectionId, deploymentId, baseModel, model }: Chosen,
  path?: string,
): Promise<Endpoint> {
  if (deploymentId != null) {
    const found = await runningDeployment(ctx, deploymentId);
    if (found === null)
      throw unprocessable(path ?? "/deploymentId", "No running deployment of this project has this id or name.");
    return found;
  }
  if (baseModel != null) {
    requireCapability(ctx, ["project:models:manage"]);
    await requireTrainer(ctx);
    const { id, revision, source } = await requireBaseModel(ctx, baseModel, path);
    return { connectionId: null, deploymentId: null, baseModel: { id, revision, source }, model: id };
  }
  if (!(await modelConnections(ctx)).some(({ id }) => id === connectionId))
    throw unprocessable(path ?? "/connectionId", "The model connection was not found in this project.");
  return { connectionId: connectionId ?? null, deploymentId: null, baseModel: null, model: model ?? "" };
}

/** Returns the deployment that runs under an id or a name; `null` if none does. The playground's servers come and go. */
export async function runningDeployment(ctx: Ctx, idOrName: string): Promise<Endpoint | null> {
  try {
    const { deployment } = await findTarget(ctx, idOrName);
    if (deployment.purpose !== "service") return null;
    return { connectionId: null, deploymentId: deployment.id, baseModel: null, model: deployment.name };
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}
