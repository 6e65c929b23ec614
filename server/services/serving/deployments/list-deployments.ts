import { and, eq, inArray } from "drizzle-orm";
import { deployments } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { deploymentJson, readDeployment } from "./read-deployments";
import { deploymentIdInput, deploymentReply, deploymentsReply, listDeploymentsInput } from "./schemas";

export const listDeployments = verb(
  {
    name: "deployments.list",
    summary: "List deployments, newest first.",
    description: "Each version deployed under a name is one entry; `purpose: service` leaves playgrounds out.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: listDeploymentsInput,
    reply: deploymentsReply,
  },
  async (ctx, { limit, cursor, ...filters }) => {
    const { status, purpose, checkpointId, name } = filters;
    const { rows, nextCursor } = await listPage(
      { name: "deployments", table: deployments, filters: { project: ctx.projectId, ...filters }, limit, cursor },
      (after) =>
        ctx.db
          .select()
          .from(deployments)
          .where(
            and(
              eq(deployments.projectId, ctx.projectId),
              status && inArray(deployments.status, status),
              purpose && eq(deployments.purpose, purpose),
              checkpointId === undefined ? undefined : eq(deployments.checkpointId, checkpointId),
              name === undefined ? undefined : eq(deployments.name, name),
              after,
            ),
          ),
    );
    return { deployments: rows.map(deploymentJson), nextCursor };
  },
);

export const getDeployment = verb(
  {
    name: "deployments.get",
    summary: "Read one deployment.",
    description:
      "`endpoint` is the base URL for clients of the OpenAI API while it is running. `staleSince`: its trainer has been unreachable since then; it may still be serving.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: deploymentIdInput,
    reply: deploymentReply,
  },
  async (ctx, { deploymentId }) => {
    return { deployment: deploymentJson(await readDeployment(ctx, deploymentId)) };
  },
);
