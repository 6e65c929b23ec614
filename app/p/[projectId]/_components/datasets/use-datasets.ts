import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Dataset } from "@/server/services/datasets/datasets/schemas";

const NONE: readonly Dataset[] = [];
const LIMIT = 500;

/** Returns the project's Datasets, newest first, once they are loaded. */
export function useDatasets(projectId: string): readonly Dataset[] {
  const trpc = useTRPC();
  return useQuery(trpc.datasets.list.queryOptions({ projectId, limit: LIMIT })).data?.datasets ?? NONE;
}
