import { useCallback } from "react";

type List = { hasNextPage?: boolean; isFetchingNextPage?: boolean; fetchNextPage?: () => unknown };

/** Returns a function that loads a list's next page, one at a time; undefined if there is none. */
export function useReadMore({ hasNextPage, isFetchingNextPage, fetchNextPage }: List) {
  const readMore = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage?.();
  }, [isFetchingNextPage, fetchNextPage]);
  return hasNextPage ? readMore : undefined;
}
