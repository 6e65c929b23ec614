import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { SavedViewList } from "@/server/services/saved-views/schemas";

/** Returns the saved views of a list, and the mutations that change them. */
export function useSavedViews(projectId: string, list: SavedViewList) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const onSuccess = () => queries.invalidateQueries({ queryKey: trpc.savedViews.pathKey() });
  return {
    views: useQuery(trpc.savedViews.list.queryOptions({ projectId, list })),
    create: useMutation(trpc.savedViews.create.mutationOptions({ onSuccess })),
    update: useMutation(trpc.savedViews.update.mutationOptions({ onSuccess })),
    remove: useMutation(trpc.savedViews.delete.mutationOptions({ onSuccess })),
  };
}
