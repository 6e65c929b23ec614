import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { useDropLaterPages } from "../use-drop-later-pages";

/** Spans loaded per page after those that come with the trace. */
const PAGE = 500;

/**
 * Loads a trace's spans from its start, more while scrolling; if a requested span is not among them, from that one on.
 * `from` says which.
 */
export function useTrace(projectId: string, traceId: string | undefined, spanId: string | null) {
  const trpc = useTRPC();
  const trace = useQuery(
    trpc.traces.get.queryOptions({ projectId, traceId: traceId ?? "" }, { enabled: traceId !== undefined }),
  );
  const first = trace.data?.trace;
  /** The span last requested; `from` stays when it is closed, and is reset by going back to the start. */
  const [requested, setRequested] = useState<string | null>(null);
  const [from, setFrom] = useState<string | null>(null);
  const later = useInfiniteQuery(
    trpc.traces.spans.infiniteQueryOptions(
      { projectId, traceId: traceId ?? "", limit: PAGE, ...(from === null ? {} : { fromSpanId: from }) },
      {
        ...nextPage,
        ...(from === null ? { initialCursor: first?.spansCursor ?? null } : {}),
        // From the start on, scrolling triggers it.
        enabled: from !== null,
      },
    ),
  );
  useDropLaterPages(first?.spansCursor, trpc.traces.spans.pathKey());

  const pages = later.data?.pages.flatMap((page) => page.spans);
  const spans = from === null ? first && [...first.spans, ...(pages ?? [])] : pages;
  const isElsewhere =
    first != null && first.spansCursor !== null && spanId !== null && !spans?.some((span) => span.spanId === spanId);
  // Set while rendering, React's pattern for state derived from props.
  if (isElsewhere && spans && requested !== spanId) {
    setRequested(spanId);
    setFrom(spanId);
  }
  // Not a span of this trace, or no longer one.
  if (from !== null && problemOf(later.error).status === 404) setFrom(null);

  const more = later.data ? later.hasNextPage : from === null && first?.spansCursor != null;
  const readMore = () => void (later.data ? later.fetchNextPage() : later.refetch());
  return {
    trace: first,
    spans,
    from,
    toStart: () => setFrom(null),
    error: trace.error ?? later.error,
    isFetching: trace.isFetching || later.isFetching,
    retry: () => (trace.error ? void trace.refetch() : readMore()),
    onEnd: more && !later.isFetching && !later.error ? readMore : undefined,
  };
}
