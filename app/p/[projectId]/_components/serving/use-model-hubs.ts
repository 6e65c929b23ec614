import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";

/** The connections of the project that models can be published with. */
export function useModelHubs(projectId: string) {
  const trpc = useTRPC();
  const query = useQuery(trpc.connections.list.queryOptions({ projectId, limit: 100 }));
  return {
    hubs:
      query.data?.connections.filter(
        (one) =>
          one.kind === "model-hub" && !("settings" in one && "use" in one.settings && one.settings.use === "download"),
      ) ?? [],
    isPending: query.isPending,
  };
}
