import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Deployment } from "@/server/services/serving/deployments/schemas";

const IDLE_MS = 10_000;

/** What ran under a deployment's name, newest first, and what rolling back would deploy. */
export function useHistory(projectId: string, deployment: Deployment) {
  const trpc = useTRPC();
  const query = useQuery(
    trpc.deployments.list.queryOptions(
      { projectId, name: deployment.model, purpose: "service", limit: 50 },
      { refetchInterval: IDLE_MS, enabled: deployment.purpose === "service" },
    ),
  );
  const deployments = query.data?.deployments ?? [];
  const ran = deployments.filter(({ id, startedAt }) => id !== deployment.id && startedAt !== null);
  const replaced = ran.find(({ id }) => id === deployment.replacesId);
  const since = deployment.startedAt ?? deployment.createdAt;
  const previous = replaced ?? ran.find(({ startedAt }) => startedAt !== null && startedAt < since);
  return { query, deployments, previous };
}
