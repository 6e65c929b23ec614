import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";

/** Returns a project's webhooks as options, and a function that names a connection. */
export function useWebhooks(projectId: string) {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.connections.list.queryOptions({ projectId, limit: 500 }));
  const connections = data?.connections ?? [];
  return {
    webhooks: connections.filter(({ kind }) => kind === "webhook").map(({ id, name }) => ({ value: id, label: name })),
    connectionName: (id: string) => connections.find((connection) => connection.id === id)?.name ?? id,
  };
}
