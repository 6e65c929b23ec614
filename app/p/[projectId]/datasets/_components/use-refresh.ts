import { useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";

/** Returns a function that reloads the Datasets, Examples and versions on screen after any of them has changed. */
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
