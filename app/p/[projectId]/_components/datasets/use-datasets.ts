import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";

const LIMIT = 500;

/** Reads the project's Datasets, newest first. */
export function useDatasets(projectId: string) {
  const trpc = useTRPC();
  return useQuery(trpc.datasets.list.queryOptions({ projectId, limit: LIMIT }, { select: ({ datasets }) => datasets }));
}
