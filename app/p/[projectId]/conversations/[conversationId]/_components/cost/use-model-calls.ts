import { useInfiniteQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import type { ConversationData } from "../transcript/transcript";
import { useDropLaterPages } from "../use-drop-later-pages";

/** Calls loaded per page after those that come with the conversation. */
const PAGE = 250;

/** Returns the model calls loaded so far: those that come with the conversation, then page by page. */
export function useModelCalls(projectId: string, conversation: ConversationData) {
  const trpc = useTRPC();
  const { modelCallsCursor } = conversation;
  const later = useInfiniteQuery(
    trpc.conversations.modelCalls.infiniteQueryOptions(
      { projectId, conversationId: conversation.id, limit: PAGE },
      {
        ...nextPage,
        initialCursor: modelCallsCursor,
        // Scrolling triggers it.
        enabled: false,
      },
    ),
  );
  useDropLaterPages(modelCallsCursor, trpc.conversations.modelCalls.pathKey());
  return {
    modelCalls: [...conversation.modelCalls, ...(later.data?.pages.flatMap((page) => page.modelCalls) ?? [])],
    hasMore: later.data ? later.hasNextPage : modelCallsCursor !== null,
    readMore: () => void (later.data ? later.fetchNextPage() : later.refetch()),
    isFetching: later.isFetching,
    error: later.error,
  };
}
