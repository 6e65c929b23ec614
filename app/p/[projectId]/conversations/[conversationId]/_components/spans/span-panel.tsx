import { useQuery } from "@tanstack/react-query";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { useTRPC } from "@/app/_lib/trpc/client";
import { SpanDetail } from "./span-detail";
import type { SpanData } from "./use-trace";

type Props = {
  projectId: string;
  conversationId: string;
  traceId: string;
  span: SpanData;
  hasLogs: boolean;
  onClose: () => void;
  onMessage: (index: number) => void;
};

/** An open span. The tree has only its outline: what else was received is read when it is opened. */
export function SpanPanel({ span: { spanId, name }, onClose, ...props }: Props) {
  const trpc = useTRPC();
  const { projectId, traceId } = props;
  const query = useQuery(
    trpc.traces.spans.queryOptions(
      { projectId, traceId, fromSpanId: spanId, limit: 1 },
      { staleTime: Number.POSITIVE_INFINITY },
    ),
  );
  const span = query.data?.spans[0];
  return (
    <PeekPanel label="Span" title={<span className="mono">{name}</span>} onClose={onClose}>
      {span ? (
        <SpanDetail span={span} {...props} />
      ) : query.error ? (
        <ErrorState error={query.error} onRetry={() => void query.refetch()} retrying={query.isFetching} />
      ) : (
        <TableSkeleton rowHeight={28} label="Loading the span" />
      )}
    </PeekPanel>
  );
}
