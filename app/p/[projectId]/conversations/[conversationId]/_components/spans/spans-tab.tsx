"use client";
import { Button, NativeSelect, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { formatCount, plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc/client";
import { LogList } from "./log-list";
import { SpanDetail } from "./span-detail";
import classes from "./spans-tab.module.css";
import { useTrace } from "./use-trace";
import { Waterfall } from "./waterfall";

type Props = {
  projectId: string;
  conversationId: string;
  traceIds: readonly string[];
  traceId: string | null;
  /** Shown in its trace, whether that is named or not. */
  spanId: string | null;
  onChange: (view: { trace?: string | null; span?: string | null }) => void;
};

/** The traces of a conversation as they came: what ran when, how each span was read, and what nobody read. */
export function SpansTab({ projectId, conversationId, traceIds, traceId, spanId, onChange }: Props) {
  const trpc = useTRPC();
  const named = traceIds.find((id) => id === traceId);
  const found = useQuery(
    trpc.conversations.findSpan.queryOptions(
      { projectId, conversationId, spanId: spanId ?? "" },
      { enabled: named === undefined && spanId !== null && traceIds.length > 1 },
    ),
  );
  const shown = named ?? found.data?.span.traceId ?? (found.isLoading ? undefined : traceIds[0]);
  const { trace, spans, from, toStart, error, isFetching, retry, onEnd } = useTrace(projectId, shown, spanId);
  const [withLogs, setWithLogs] = useState(false);
  if (found.isLoading) return <TableSkeleton rowHeight={30} label="Loading spans" />;
  if (shown === undefined) {
    return (
      <Text c="dimmed" p="md">
        This conversation has no trace any more: its spans moved to another.
      </Text>
    );
  }
  const selected = spans?.find((span) => span.spanId === spanId);
  const unmapped = new Set(spans?.flatMap((span) => span.unmapped) ?? []);
  return (
    <div className={classes.root}>
      <div className={classes.main}>
        <div className={classes.bar}>
          {traceIds.length > 1 ? (
            <NativeSelect
              aria-label="Trace"
              value={shown}
              onChange={(event) => onChange({ trace: event.currentTarget.value, span: null })}
              data={traceIds.map((id, index) => ({
                value: id,
                label: `Trace ${index + 1} of ${traceIds.length} · ${id.slice(0, 12)}…`,
              }))}
            />
          ) : (
            <span className="mono clip" title={shown}>
              {shown}
            </span>
          )}
          {trace && spans ? (
            <Text size="xs" c="dimmed" role="status">
              {from === null ? "" : `From span ${from.slice(0, 8)} on: `}
              {spans.length < trace.spanCount ? `${formatCount(spans.length)} of ` : ""}
              {plural(trace.spanCount, "span")}, {formatCount(trace.modelCallCount)} counted as model calls,{" "}
              {unmapped.size === 0
                ? "every attribute read"
                : plural(unmapped.size, "attribute name nobody reads", "attribute names nobody reads")}
              {spans.length < trace.spanCount ? " in those shown" : ""}
            </Text>
          ) : null}
          {from === null ? null : (
            <Button variant="default" size="compact-xs" onClick={toStart}>
              Show from the start
            </Button>
          )}
          {trace && trace.logCount > 0 ? (
            <Button
              variant="default"
              size="compact-xs"
              aria-pressed={withLogs}
              onClick={() => {
                setWithLogs(!withLogs);
                if (selected) onChange({ span: null });
              }}
            >
              {plural(trace.logCount, "log record")}
            </Button>
          ) : null}
        </div>
        {spanId !== null && (found.error || (spans && !selected && !isFetching)) ? (
          <Text size="sm" p="sm" role="status">
            Span <span className="mono">{spanId.slice(0, 8)}</span> is not here any more.
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
          <SpanDetail projectId={projectId} traceId={shown} span={selected} hasLogs={(trace?.logCount ?? 0) > 0} />
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
