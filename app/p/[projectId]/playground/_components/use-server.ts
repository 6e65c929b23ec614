import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useTRPC, useTRPCClient } from "@/app/_lib/trpc/client";
import { type Deployment, LIVE_DEPLOYMENT_STATUSES } from "@/server/services/serving/deployments/schemas";
import { isChanging, isLive } from "../../_components/serving/words";
import type { Target } from "./view";

const LIVE_MS = 1000;
const IDLE_MS = 5000;

/** The server ended instead of starting; its row has the reason. */
export class ServerEnded extends Error {
  constructor(readonly deployment: Deployment) {
    super(deployment.error?.message ?? "The server was stopped.");
  }
}

const serves = ({ checkpointId, baseModel, status }: Deployment, { kind, id }: Target) =>
  status !== "stopping" && (kind === "checkpoint" ? checkpointId === id : baseModel?.id === id);

const waitFor = (ms: number, signal: AbortSignal) =>
  new Promise<void>((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });

/** The server for a target: a deployment, or a server that is started on the first prompt and stops by itself. */
export function useServer(projectId: string, target: Target | null) {
  const trpc = useTRPC();
  const client = useTRPCClient();
  const queries = useQueryClient();
  const isDeployment = target?.kind === "deployment";
  const chosen = useQuery(
    trpc.deployments.get.queryOptions(
      { projectId, deploymentId: target?.id ?? "" },
      { enabled: isDeployment, refetchInterval: IDLE_MS },
    ),
  );
  const servers = useQuery(
    trpc.deployments.list.queryOptions(
      { projectId, purpose: "playground", status: [...LIVE_DEPLOYMENT_STATUSES], limit: 100 },
      {
        enabled: target !== null && !isDeployment,
        refetchInterval: ({ state }) => (state.data?.deployments.some(isChanging) ? LIVE_MS : IDLE_MS),
      },
    ),
  );
  const row =
    target === null
      ? undefined
      : isDeployment
        ? chosen.data?.deployment
        : servers.data?.deployments.find((one) => serves(one, target));

  async function start(of: Target): Promise<string> {
    const { deployment } = await client.deployments.startPlayground.mutate({
      projectId,
      ...(of.kind === "checkpoint" ? { checkpointId: of.id } : { baseModel: await baseModelOf(of.id) }),
    });
    await queries.invalidateQueries({ queryKey: trpc.deployments.pathKey() });
    return deployment.id;
  }
  async function baseModelOf(id: string) {
    const { baseModels } = await client.baseModels.list.query({ projectId });
    const known = baseModels.find((one) => one.id === id);
    return { id, source: known?.source ?? ("hub" as const), ...(known?.revision ? { revision: known.revision } : {}) };
  }

  return {
    deployment: row,
    error: isDeployment ? chosen.error : servers.error,
    /** Waits until the server is ready, and returns its id. Throws if it fails. */
    async ready(signal: AbortSignal): Promise<string> {
      if (target === null) throw new Error("Choose a model first.");
      const deploymentId = isDeployment ? target.id : row && isLive(row) ? row.id : await start(target);
      for (;;) {
        const { deployment } = await client.deployments.get.query({ projectId, deploymentId });
        if (deployment.status === "running") return deploymentId;
        if (!isLive(deployment)) throw new ServerEnded(deployment);
        await waitFor(LIVE_MS, signal);
      }
    },
    async stop() {
      if (row) await client.deployments.stop.mutate({ projectId, deploymentId: row.id });
      await queries.invalidateQueries({ queryKey: trpc.deployments.pathKey() });
    },
  };
}
