import type { Ctx } from "@/server/platform/context";
import { ServiceError, unprocessable } from "@/server/platform/errors";
import { modelConnections } from "@/server/services/connections";
import { findTarget } from "@/server/services/serving/targets";

/** What answers: a model behind a connection, or a deployment, whose name is its model's. */
export type Endpoint = { connectionId: string | null; deploymentId: string | null; model: string };
type Chosen = {
  connectionId?: string | null | undefined;
  deploymentId?: string | null | undefined;
  model?: string | undefined;
};

/**
 * Returns what is chosen. Throws 422, at `path` if it is not the endpoint's own field, unless it is a model connection or a running
 * deployment of the project.
 */
export async function requireEndpoint(
  ctx: Ctx,
  { connectionId, deploymentId, model }: Chosen,
  path?: string,
): Promise<Endpoint> {
  if (deploymentId != null) {
    const found = await runningDeployment(ctx, deploymentId);
    if (found === null)
      throw unprocessable(path ?? "/deploymentId", "No running deployment of this project has this id or name.");
    return found;
  }
  if (!(await modelConnections(ctx)).some(({ id }) => id === connectionId))
    throw unprocessable(path ?? "/connectionId", "The model connection was not found in this project.");
  return { connectionId: connectionId ?? null, deploymentId: null, model: model ?? "" };
}

/** Returns the deployment that runs under an id or a name; `null` if none does. The playground's servers come and go. */
export async function runningDeployment(ctx: Ctx, idOrName: string): Promise<Endpoint | null> {
  try {
    const { deployment } = await findTarget(ctx, idOrName);
    if (deployment.purpose !== "service") return null;
    return { connectionId: null, deploymentId: deployment.id, model: deployment.name };
  } catch (error) {
    if (error instanceof ServiceError) return null;
    throw error;
  }
}
