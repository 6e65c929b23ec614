import { Button, NativeSelect, Text } from "@mantine/core";
import { formatCount, plural } from "@/app/_lib/format";
import classes from "./spans-tab.module.css";
import type { useTrace } from "./use-trace";

type Props = {
  traceIds: readonly string[];
  shown: string;
  read: ReturnType<typeof useTrace>;
  withLogs: boolean;
  onTrace: (traceId: string) => void;
  onLogs: () => void;
};

/** Chooses the conversation's trace, shows how much of it was recognized, and links to its log records. */
export function TraceBar({ traceIds, shown, read, withLogs, onTrace, onLogs }: Props) {
  const { trace, from, toStart } = read;
  return (
    <div className={classes.bar}>
      {traceIds.length > 1 ? (
        <NativeSelect
          aria-label="Trace"
          value={shown}
          onChange={(event) => onTrace(event.currentTarget.value)}
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
      <Coverage trace={trace} spans={read.spans} from={from} />
      {from === null ? null : (
        <Button variant="default" size="compact-xs" onClick={toStart}>
          Show from the start
        </Button>
      )}
      {trace && trace.logCount > 0 ? (
        <Button variant="default" size="compact-xs" aria-pressed={withLogs} onClick={onLogs}>
          {plural(trace.logCount, "log record")}
        </Button>
      ) : null}
    </div>
  );
}

function Coverage({ trace, spans, from }: Pick<Props["read"], "trace" | "spans" | "from">) {
  if (!trace || !spans) return null;
  const unmapped = new Set(spans.flatMap((span) => span.unmapped));
  return (
    <Text size="xs" c="dimmed" role="status">
      {from === null ? "" : `From span ${from.slice(0, 8)} on: `}
      {spans.length < trace.spanCount ? `${formatCount(spans.length)} of ` : ""}
      {plural(trace.spanCount, "span")}, {formatCount(trace.modelCallCount)} counted as model calls,{" "}
      {unmapped.size === 0
        ? "every attribute mapped"
        : plural(unmapped.size, "unmapped attribute name", "unmapped attribute names")}
      {spans.length < trace.spanCount ? " in those shown" : ""}
    </Text>
  );
}
