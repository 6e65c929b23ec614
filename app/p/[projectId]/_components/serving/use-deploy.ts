import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { type RouterInputs, useTRPC } from "@/app/_lib/trpc/client";
import { deploymentHref } from "../training/hrefs";

type Request = Omit<RouterInputs["deployments"]["deploy"], "projectId">;
const FOLLOW_MS = 1000;

/**
 * Deploys a checkpoint and opens the page of the deployment once it runs. The request is pending until then; meanwhile the
 * deployment's row is polled; it remains if the reader leaves.
 */
export function useDeploy(projectId: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const [request, setRequest] = useState<(Request & { since: number }) | null>(null);
  const mutation = useMutation(
    trpc.deployments.deploy.mutationOptions({
      onSuccess: ({ deployment }) => {
        if (deployment.status !== "running") return;
        notifications.show({ message: `“${deployment.model}” is running` });
        // This also leaves the dialog: closing it first would change the URL and cancel this navigation.
        router.push(deploymentHref(projectId, deployment.id));
      },
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.deployments.pathKey() }),
    }),
  );
  const followed = useQuery(
    trpc.deployments.list.queryOptions(
      { projectId, name: request?.name, checkpointId: request?.checkpointId, limit: 1 },
      { enabled: mutation.isPending && request !== null, refetchInterval: FOLLOW_MS, staleTime: 0 },
    ),
  );
  const row = followed.data?.deployments[0];
  return {
    isPending: mutation.isPending,
    error: mutation.error,
    result: mutation.data?.deployment,
    name: request?.name ?? "",
    /** The row of this request: not one that ended before it. */
    row:
      row !== undefined && request !== null && (row.endedAt === null || row.endedAt >= request.since) ? row : undefined,
    start: (given: Request) => {
      setRequest({ ...given, since: Date.now() });
      mutation.mutate({ projectId, ...given });
    },
    again: () => mutation.reset(),
  };
}
