"use client";
import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { SpansView } from "../view";
import { FlameChart } from "./flame-chart";
import { LogList } from "./log-list";
import { SpanPanel } from "./span-panel";
import classes from "./spans-tab.module.css";
import { TraceBar } from "./trace-bar";
import { TraceTree } from "./trace-tree";
import { type SpanData, useTrace } from "./use-trace";
import { useTraceView } from "./use-trace-view";

type Props = {
  projectId: string;
  conversationId: string;
  traceIds: readonly string[];
  /** The conversation's version: a change means that there may be more spans. */
  version: string;
  /** What is shown; `span` is opened in its trace, even if no trace is named. */
  view: SpansView;
  onChange: (view: Partial<SpansView>) => void;
  onMessage: (index: number) => void;
};

const NO_SPANS: readonly SpanData[] = [];

/** The traces of a conversation: their spans with model, tokens, cost, words and timing, and each as it was received. */
export function SpansTab({ projectId, conversationId, traceIds, version, view, onChange, onMessage }: Props) {
  const trpc = useTRPC();
  const { span: spanId, shape, find } = view;
  const named = traceIds.find((id) => id === view.trace);
  const foundIn = useQuery(
    trpc.conversations.findSpan.queryOptions(
      { projectId, conversationId, spanId: spanId ?? "" },
      { enabled: named === undefined && spanId !== null && traceIds.length > 1 },
    ),
  );
  const shown = named ?? foundIn.data?.span.traceId ?? (foundIn.isLoading ? undefined : traceIds[0]);
  const read = useTrace(projectId, shown, spanId, version);
  const { trace, spans, error, isFetching, retry, onMore } = read;
  const state = useTraceView(spans ?? NO_SPANS, spanId, find);
  const [withLogs, setWithLogs] = useState(false);
  if (foundIn.isLoading) return <TableSkeleton rowHeight={44} label="Loading spans" />;
  if (shown === undefined) {
    return (
      <Text c="dimmed" p="md">
        This conversation no longer has a trace: its spans moved to another conversation.
      </Text>
    );
  }
  const selected = spans?.find((span) => span.spanId === spanId);
  const select = (id: string) => onChange({ trace: shown, span: id === spanId ? null : id });
  const Shown = shape === "flame" ? FlameChart : TraceTree;
  return (
    <div className={classes.root}>
      <div className={classes.main}>
        <TraceBar
          traceIds={traceIds}
          shown={shown}
          read={read}
          view={state}
          shape={shape}
          find={find}
          withLogs={withLogs}
          onTrace={(trace) => onChange({ trace, span: null })}
          onShape={(shape) => onChange({ shape })}
          onFind={(find) => onChange({ find })}
          onLogs={() => {
            setWithLogs(!withLogs);
            if (selected) onChange({ span: null });
          }}
        />
        {spanId !== null && (foundIn.error || (spans && !selected && !isFetching)) ? (
          <Text size="sm" p="sm" role="status">
            Span <span className="mono">{spanId.slice(0, 8)}</span> no longer exists.
          </Text>
        ) : null}
        {spans ? (
          <Shown key={shown} view={state} selectedId={spanId} onSelect={select} />
        ) : error ? null : (
          <TableSkeleton rowHeight={44} label="Loading spans" />
        )}
        {onMore ? (
          <Button variant="default" m="sm" onClick={onMore}>
            Load more spans
          </Button>
        ) : null}
        {error ? <ErrorState error={error} onRetry={retry} retrying={isFetching} /> : null}
      </div>
      {selected ? (
        <SpanPanel
          projectId={projectId}
          conversationId={conversationId}
          traceId={shown}
          span={selected}
          hasLogs={(trace?.logCount ?? 0) > 0}
          onClose={() => onChange({ span: null })}
          onMessage={onMessage}
        />
      ) : trace && withLogs ? (
        <PeekPanel label="Log records" title="Log records" onClose={() => setWithLogs(false)}>
          <div className={classes.detail}>
            <LogList projectId={projectId} traceId={shown} since={spans?.[0]?.startedAt ?? 0} />
          </div>
        </PeekPanel>
      ) : null}
    </div>
  );
}
