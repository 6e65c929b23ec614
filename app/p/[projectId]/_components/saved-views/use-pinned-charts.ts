import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";

/** Returns the charts on the reader's Home, and a mutation that replaces them. */
export function usePinnedCharts(projectId: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const onSuccess = () => queries.invalidateQueries({ queryKey: trpc.pinnedCharts.pathKey() });
  return {
    pinned: useQuery(trpc.pinnedCharts.list.queryOptions({ projectId })),
    update: useMutation(trpc.pinnedCharts.update.mutationOptions({ onSuccess })),
  };
}
