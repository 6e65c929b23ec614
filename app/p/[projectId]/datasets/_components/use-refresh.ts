import { useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";

/** Returns a function that reloads what is shown of Datasets, their Examples and versions, after a change of either. */
export function useRefresh() {
  const trpc = useTRPC();
  const queries = useQueryClient();
  return () =>
    Promise.all([
      queries.invalidateQueries({ queryKey: trpc.datasets.pathKey() }),
      queries.invalidateQueries({ queryKey: trpc.examples.pathKey() }),
      queries.invalidateQueries({ queryKey: trpc.datasetVersions.pathKey() }),
    ]);
}
