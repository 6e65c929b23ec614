import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { modelCallsInput } from "../inputs";
import type { ConversationData } from "../transcript/transcript";

/** Returns the model calls loaded so far, page by page; they are refetched when the conversation has changed. */
export function useModelCalls(projectId: string, { id, version }: ConversationData) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const list = useInfiniteQuery(
    trpc.conversations.modelCalls.infiniteQueryOptions(modelCallsInput(projectId, id), nextPage),
  );
  const isStale = !list.isFetching && list.data?.pages.some((page) => page.version !== version);
  const readAgain = useRef<string | null>(null);
  useEffect(() => {
    if (!isStale || readAgain.current === version) return;
    // Once per version, because a refetch may already return the next version.
    readAgain.current = version;
    void queries.invalidateQueries({ queryKey: trpc.conversations.modelCalls.pathKey() });
  }, [isStale, version, queries, trpc]);
  return {
    modelCalls: list.data?.pages.flatMap((page) => page.modelCalls),
    hasMore: list.hasNextPage,
    inPages: list.hasNextPage || (list.data?.pages.length ?? 0) > 1,
    readMore: () => void (list.error && !list.data ? list.refetch() : list.fetchNextPage()),
    isFetching: list.isFetching,
    error: list.error,
  };
}
