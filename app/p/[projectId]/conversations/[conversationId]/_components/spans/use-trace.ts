import { useInfiniteQuery, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";

/** Spans per page: many screens of rows. */
const PAGE = 250;

/**
 * Loads a trace's spans from its start, more while scrolling; if a requested span is not among them, loads from that span
 * on, which `from` names. Recounts them with each `version` of the conversation, which the page polls.
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
  /** The span last requested; `from` stays when it is closed, and is reset by going back to the start. */
  const [requested, setRequested] = useState<string | null>(null);
  const [from, setFrom] = useState<string | null>(null);
  const list = useInfiniteQuery(
    trpc.traces.spans.infiniteQueryOptions(
      { projectId, traceId: traceId ?? "", limit: PAGE, ...(from === null ? {} : { fromSpanId: from }) },
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
      void queries.invalidateQueries({ queryKey: trpc.traces.spans.pathKey() });
  }, [counted, queries, trpc]);

  const spans = list.data?.pages.flatMap((page) => page.spans);
  const isElsewhere =
    trace &&
    spans &&
    spans.length < trace.spanCount &&
    spanId !== null &&
    !spans.some((span) => span.spanId === spanId);
  // Set while rendering, React's pattern for state derived from props.
  if (isElsewhere && requested !== spanId) {
    setRequested(spanId);
    setFrom(spanId);
  }
  // It is not, or no longer, a span of this trace.
  if (from !== null && problemOf(list.error).status === 404) setFrom(null);

  return {
    trace,
    spans,
    from,
    toStart: () => setFrom(null),
    error: counts.error ?? list.error,
    isFetching: counts.isFetching || list.isFetching,
    retry: () => {
      if (counts.error) void counts.refetch();
      if (list.error) void (list.data ? list.fetchNextPage() : list.refetch());
    },
    onEnd: list.hasNextPage && !list.isFetching && !list.error ? () => void list.fetchNextPage() : undefined,
  };
}
