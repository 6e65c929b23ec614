"use client";
import { Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { useTRPC } from "@/app/_lib/trpc/client";
import { LogList } from "./log-list";
import { SpanDetail } from "./span-detail";
import classes from "./spans-tab.module.css";
import { TraceBar } from "./trace-bar";
import { useTrace } from "./use-trace";
import { Waterfall } from "./waterfall";

type Props = {
  projectId: string;
  conversationId: string;
  traceIds: readonly string[];
  /** The conversation's version: a change means that there may be more spans. */
  version: string;
  traceId: string | null;
  /** Opened in its trace, even if `traceId` is not given. */
  spanId: string | null;
  onChange: (view: { trace?: string | null; span?: string | null }) => void;
  onMessage: (index: number) => void;
};

/** The traces of a conversation as received: timing, how each span was read, and unrecognized attributes. */
export function SpansTab({
  projectId,
  conversationId,
  traceIds,
  version,
  traceId,
  spanId,
  onChange,
  onMessage,
}: Props) {
  const trpc = useTRPC();
  const named = traceIds.find((id) => id === traceId);
  const found = useQuery(
    trpc.conversations.findSpan.queryOptions(
      { projectId, conversationId, spanId: spanId ?? "" },
      { enabled: named === undefined && spanId !== null && traceIds.length > 1 },
    ),
  );
  const shown = named ?? found.data?.span.traceId ?? (found.isLoading ? undefined : traceIds[0]);
  const read = useTrace(projectId, shown, spanId, version);
  const { trace, spans, error, isFetching, retry, onEnd } = read;
  const [withLogs, setWithLogs] = useState(false);
  if (found.isLoading) return <TableSkeleton rowHeight={30} label="Loading spans" />;
  if (shown === undefined) {
    return (
      <Text c="dimmed" p="md">
        This conversation no longer has a trace: its spans moved to another conversation.
      </Text>
    );
  }
  const selected = spans?.find((span) => span.spanId === spanId);
  return (
    <div className={classes.root}>
      <div className={classes.main}>
        <TraceBar
          traceIds={traceIds}
          shown={shown}
          read={read}
          withLogs={withLogs}
          onTrace={(trace) => onChange({ trace, span: null })}
          onLogs={() => {
            setWithLogs(!withLogs);
            if (selected) onChange({ span: null });
          }}
        />
        {spanId !== null && (found.error || (spans && !selected && !isFetching)) ? (
          <Text size="sm" p="sm" role="status">
            Span <span className="mono">{spanId.slice(0, 8)}</span> no longer exists.
          </Text>
        ) : null}
        {spans ? (
          <Waterfall
            spans={spans}
            selectedId={spanId}
            onSelect={(id) => onChange({ trace: shown, span: id === spanId ? null : id })}
            onEnd={onEnd}
          />
        ) : error ? null : (
          <TableSkeleton rowHeight={30} label="Loading spans" />
        )}
        {error ? <ErrorState error={error} onRetry={retry} retrying={isFetching} /> : null}
      </div>
      {selected ? (
        <PeekPanel
          label="Span"
          title={<span className="mono">{selected.name}</span>}
          onClose={() => onChange({ span: null })}
        >
          <SpanDetail
            projectId={projectId}
            conversationId={conversationId}
            traceId={shown}
            span={selected}
            hasLogs={(trace?.logCount ?? 0) > 0}
            onMessage={onMessage}
          />
        </PeekPanel>
      ) : trace && withLogs ? (
        <PeekPanel label="Log records" title="Log records" onClose={() => setWithLogs(false)}>
          <div className={classes.detail}>
            <LogList projectId={projectId} traceId={shown} since={trace.spans[0]?.startedAt ?? 0} />
          </div>
        </PeekPanel>
      ) : null}
    </div>
  );
}
