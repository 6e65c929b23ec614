import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useMemo, useRef } from "react";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";

export type SpanData = RouterOutputs["traces"]["outline"]["spans"][number];

/** Spans that are loaded without being asked for; also those up to one that a link points to. */
const LOADED_AT_ONCE = 20_000;

/**
 * Loads the outline of a trace's spans, page by page until all are there. Recounts them with each `version` of the
 * conversation, which the page polls.
 */
export function useTrace(projectId: string, traceId: string | undefined, spanId: string | null, version: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const enabled = traceId !== undefined;
  const counts = useQuery(trpc.traces.get.queryOptions({ projectId, traceId: traceId ?? "", parts: 0 }, { enabled }));
  const trace = counts.data?.trace;
  const countedAt = useRef(version);
  const { refetch: countAgain } = counts;
  useEffect(() => {
    if (countedAt.current === version) return;
    countedAt.current = version;
    if (enabled) void countAgain();
  }, [version, enabled, countAgain]);
  const list = useInfiniteQuery(
    trpc.traces.outline.infiniteQueryOptions(
      { projectId, traceId: traceId ?? "" },
      // Spans never change: the pages are refetched when the counts have changed.
      { ...nextPage, enabled, staleTime: Number.POSITIVE_INFINITY },
    ),
  );
  const counted = trace && `${trace.traceId} ${trace.spanCount} ${trace.modelCallCount} ${trace.logCount}`;
  const known = useRef(counted);
  useEffect(() => {
    const before = known.current;
    known.current = counted;
    if (before !== undefined && before.split(" ")[0] === counted?.split(" ")[0] && before !== counted)
      void queries.invalidateQueries({ queryKey: trpc.traces.outline.pathKey() });
  }, [counted, queries, trpc]);

  const pages = list.data?.pages;
  const spans = useMemo(() => pages?.flatMap((page) => page.spans), [pages]);
  const unmapped = useMemo(() => new Set(pages?.flatMap((page) => page.unmapped)).size, [pages]);
  const isMissing = useMemo(() => !spans?.some((span) => span.spanId === spanId), [spans, spanId]);
  const mayLoad = list.hasNextPage && !list.isFetching && !list.error;
  const wantsMore = (spans?.length ?? 0) < LOADED_AT_ONCE || (spanId !== null && isMissing);
  const { fetchNextPage } = list;
  useEffect(() => {
    if (mayLoad && wantsMore) void fetchNextPage();
  }, [mayLoad, wantsMore, fetchNextPage]);

  return {
    trace,
    spans,
    unmapped,
    error: counts.error ?? list.error,
    isFetching: counts.isFetching || list.isFetching,
    retry: () => {
      if (counts.error) void counts.refetch();
      if (list.error) void (list.data ? list.fetchNextPage() : list.refetch());
    },
    /** Set where loading stopped before the end. */
    onMore: mayLoad && !wantsMore ? () => void fetchNextPage() : undefined,
  };
}
