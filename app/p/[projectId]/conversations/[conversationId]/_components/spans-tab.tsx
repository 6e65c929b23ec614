"use client";
import { NativeSelect, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { TableSkeleton } from "@/app/_components/data-table/table-skeleton";
import { ErrorState } from "@/app/_components/error-state";
import { PeekPanel } from "@/app/_components/peek-panel";
import { plural } from "@/app/_lib/format";
import { useTRPC } from "@/app/_lib/trpc";
import { SpanDetail } from "./span-detail";
import classes from "./spans-tab.module.css";
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
  const { data, error, refetch, isFetching } = useQuery(
    trpc.traces.get.queryOptions({ projectId, traceId: shown ?? "" }, { enabled: shown !== undefined }),
  );
  if (found.isLoading) return <TableSkeleton rowHeight={30} label="Loading spans" />;
  if (shown === undefined) {
    return (
      <Text c="dimmed" p="md">
        This conversation has no trace any more: its spans moved to another.
      </Text>
    );
  }
  const spans = data?.trace.spans;
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
          {spans ? (
            <Text size="xs" c="dimmed">
              {plural(spans.length, "span")}, {spans.filter((span) => span.counted).length} counted as model calls,{" "}
              {unmapped.size === 0
                ? "every attribute read"
                : plural(unmapped.size, "attribute name nobody reads", "attribute names nobody reads")}
            </Text>
          ) : null}
        </div>
        {spanId !== null && (found.error || (spans && !selected)) ? (
          <Text size="sm" p="sm" role="status">
            Span <span className="mono">{spanId.slice(0, 8)}</span> is not here any more.
          </Text>
        ) : null}
        {spans ? (
          <Waterfall
            spans={spans}
            selectedId={spanId}
            onSelect={(id) => onChange({ trace: shown, span: id === spanId ? null : id })}
          />
        ) : error ? (
          <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
        ) : (
          <TableSkeleton rowHeight={30} label="Loading spans" />
        )}
      </div>
      {selected ? (
        <PeekPanel
          label="Span"
          title={<span className="mono">{selected.name}</span>}
          onClose={() => onChange({ span: null })}
        >
          <SpanDetail span={selected} />
        </PeekPanel>
      ) : null}
    </div>
  );
}
