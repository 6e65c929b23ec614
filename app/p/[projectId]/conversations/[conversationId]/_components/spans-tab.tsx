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
  traceIds: readonly string[];
  traceId: string | null;
  spanId: string | null;
  onChange: (view: { trace?: string | null; span?: string | null }) => void;
};

/** The traces of a conversation as they came: what ran when, how each span was read, and what nobody read. */
export function SpansTab({ projectId, traceIds, traceId, spanId, onChange }: Props) {
  const trpc = useTRPC();
  const shown = traceIds.find((id) => id === traceId) ?? traceIds[0];
  const { data, error, refetch, isFetching } = useQuery(
    trpc.traces.get.queryOptions({ projectId, traceId: shown ?? "" }, { enabled: shown !== undefined }),
  );
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
        {spans ? (
          <Waterfall
            spans={spans}
            selectedId={spanId}
            onSelect={(id) => onChange({ span: id === spanId ? null : id })}
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
