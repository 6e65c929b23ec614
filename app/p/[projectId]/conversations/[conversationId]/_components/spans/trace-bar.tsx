import { Button, NativeSelect, SegmentedControl, Text } from "@mantine/core";
import { formatCount, plural } from "@/app/_lib/format";
import { SHAPES, type Shape } from "../view";
import { FindInTrace } from "./find-in-trace";
import classes from "./spans-tab.module.css";
import type { useTrace } from "./use-trace";
import type { TraceView } from "./use-trace-view";

const SHAPE_WORDS: Record<Shape, string> = { tree: "Tree", flame: "Flame" };

type Props = {
  traceIds: readonly string[];
  shown: string;
  read: ReturnType<typeof useTrace>;
  view: TraceView;
  shape: Shape;
  find: string;
  withLogs: boolean;
  onTrace: (traceId: string) => void;
  onShape: (shape: Shape) => void;
  onFind: (text: string) => void;
  onLogs: () => void;
};

/** Chooses the conversation's trace and how it is shown, searches it, and says how much of it was recognized. */
export function TraceBar({ traceIds, shown, read, view, shape, find, withLogs, ...on }: Props) {
  const { trace } = read;
  return (
    <div className={classes.bar}>
      {traceIds.length > 1 ? (
        <NativeSelect
          aria-label="Trace"
          value={shown}
          onChange={(event) => on.onTrace(event.currentTarget.value)}
          data={traceIds.map((id, index) => ({
            value: id,
            label: `Trace ${index + 1} of ${traceIds.length} · ${id.slice(0, 12)}…`,
          }))}
        />
      ) : null}
      <SegmentedControl
        aria-label="Show spans as"
        value={shape}
        onChange={(value) => on.onShape(value as Shape)}
        data={SHAPES.map((value) => ({ value, label: SHAPE_WORDS[value] }))}
      />
      <FindInTrace view={view} value={find} onChange={on.onFind} />
      {shape === "tree" ? (
        <Button.Group>
          <Button variant="default" size="compact-xs" onClick={view.foldAll}>
            Fold all
          </Button>
          <Button
            variant="default"
            size="compact-xs"
            disabled={view.folded.size === 0 && view.closed.size === 0}
            onClick={view.unfoldAll}
          >
            Unfold all
          </Button>
        </Button.Group>
      ) : null}
      {trace && trace.logCount > 0 ? (
        <Button variant="default" size="compact-xs" aria-pressed={withLogs} onClick={on.onLogs}>
          {plural(trace.logCount, "log record")}
        </Button>
      ) : null}
      <Coverage {...read} shown={shown} />
    </div>
  );
}

function Coverage({
  trace,
  spans,
  unmapped,
  shown,
}: Pick<Props["read"], "trace" | "spans" | "unmapped"> & { shown: string }) {
  if (!trace || !spans) return null;
  const isPart = spans.length < trace.spanCount;
  return (
    <Text size="xs" c="dimmed" role="status" title={`Trace ${shown}`}>
      {isPart ? `${formatCount(spans.length)} of ` : ""}
      {plural(trace.spanCount, "span")}, {formatCount(trace.modelCallCount)} counted as model calls,{" "}
      {unmapped === 0 ? "every attribute mapped" : plural(unmapped, "unmapped attribute name")}
      {isPart ? " in those shown" : ""}
    </Text>
  );
}
