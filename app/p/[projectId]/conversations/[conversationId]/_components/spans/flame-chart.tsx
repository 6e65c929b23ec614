"use client";
import { Button } from "@mantine/core";
import { useElementSize, useMergedRef } from "@mantine/hooks";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import { formatDuration, plural } from "@/app/_lib/format";
import classes from "./flame-chart.module.css";
import { type DrawnBar, drawnBars, flameLanes } from "./flame-layout";
import { extentOf } from "./span-tree";
import type { TraceView } from "./use-trace-view";

type Props = { view: TraceView; selectedId: string | null; onSelect: (spanId: string) => void };

const LANE = 24;
const TICKS = [0, 0.25, 0.5, 0.75, 1];
/** Bars narrower than this have no room for a name, or for a time beside it. */
const NAMED = 28;
const TIMED = 120;

/** The spans by time, below what called them. A click opens a span; what is too narrow to see is zoomed into. */
export function FlameChart({ view, selectedId, onSelect }: Props) {
  const { placed, activeId, target, found } = view;
  const scroller = useRef<HTMLElement>(null);
  const { ref: measured, width } = useElementSize<HTMLElement>();
  const box = useMergedRef(scroller, measured);
  const lanes = useMemo(() => flameLanes(placed), [placed]);
  const whole = useMemo(() => extentOf(placed.map(({ span }) => span)), [placed]);
  const [zoom, setZoom] = useState<{ start: number; end: number } | null>(null);
  const { start, end } = zoom ?? whole;
  const virtual = useVirtualizer({
    count: lanes.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => LANE,
    overscan: 4,
    initialRect: { width: 900, height: 900 },
  });
  const laneOf = useMemo(
    () => new Map(lanes.flatMap((lane, index) => lane.map(({ position }) => [position, index] as const))),
    [lanes],
  );
  const active = activeId === null ? -1 : placed.findIndex(({ span }) => span.spanId === activeId);
  const reached = useRef<object | null>(null);
  useEffect(() => {
    if (!target || reached.current === target || placed[active]?.span.spanId !== target.id) return;
    reached.current = target;
    virtual.scrollToIndex(laneOf.get(active) ?? 0);
  });

  const focus = (position: number | undefined) => {
    const id = placed[position ?? -1]?.span.spanId;
    if (position === undefined || id === undefined) return;
    view.setActive(id);
    virtual.scrollToIndex(laneOf.get(position) ?? 0);
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-bar="${position}"]`)?.focus());
  };
  const onKeyDown = (event: React.KeyboardEvent) => {
    const position = Number((event.target as HTMLElement).dataset.bar ?? Number.NaN);
    const lane = lanes[laneOf.get(position) ?? -1];
    if (!lane || event.ctrlKey || event.metaKey || event.altKey) return;
    const at = lane.findIndex((bar) => bar.position === position);
    const to: Record<string, number | undefined> = {
      ArrowLeft: lane[at - 1]?.position,
      ArrowRight: lane[at + 1]?.position,
      ArrowUp: placed[position]?.parent,
      ArrowDown: (placed[position]?.children ?? 0) > 0 ? position + 1 : undefined,
    };
    if (!(event.key in to)) return;
    event.preventDefault();
    focus(to[event.key]);
  };
  const selected = placed.find(({ span }) => span.spanId === selectedId)?.span;
  const items = virtual.getVirtualItems();
  const inner = Math.max(0, width);
  return (
    <div className={classes.root}>
      <div className={classes.bar}>
        <span>
          Width is time{zoom ? `, of ${formatDuration(end - start)} of ${formatDuration(whole.end - whole.start)}` : ""}
        </span>
        {selected && selected.endedAt > selected.startedAt ? (
          <Button
            variant="default"
            size="compact-xs"
            onClick={() => setZoom({ start: selected.startedAt, end: selected.endedAt })}
          >
            Zoom to the open span
          </Button>
        ) : null}
        {zoom ? (
          <Button variant="default" size="compact-xs" onClick={() => setZoom(null)}>
            Whole trace
          </Button>
        ) : null}
      </div>
      <div className={classes.ruler} aria-hidden>
        {TICKS.map((tick) => (
          <span key={tick} style={{ insetInlineStart: `${tick * 100}%` }} data-last={tick === 1 || undefined}>
            {formatDuration(start - whole.start + tick * (end - start))}
          </span>
        ))}
      </div>
      <section className={classes.scroller} ref={box} aria-label="Spans by time, scrollable">
        {/* biome-ignore lint/a11y/noStaticElementInteractions: it handles the arrow keys of the bars */}
        <div className={classes.lanes} style={{ blockSize: virtual.getTotalSize() }} onKeyDown={onKeyDown}>
          {items.flatMap(({ index, start: top }) =>
            drawnBars(lanes[index] ?? [], start, end, inner).map((bar) => (
              <Bar
                key={`${index} ${bar.positions[0]}`}
                bar={bar}
                top={top}
                view={view}
                selectedId={selectedId}
                isStop={active < 0 ? index === 0 && bar.positions[0] === 0 : bar.positions.includes(active)}
                isFound={bar.positions.some((position) => found.has(position))}
                onSelect={onSelect}
                onZoom={setZoom}
              />
            )),
          )}
        </div>
      </section>
    </div>
  );
}

type BarProps = Props & {
  bar: DrawnBar;
  top: number;
  isStop: boolean;
  isFound: boolean;
  onZoom: (extent: { start: number; end: number }) => void;
};

function Bar({ bar, top, view, selectedId, isStop, isFound, onSelect, onZoom }: BarProps) {
  const { placed, activeId, matches } = view;
  const spans = bar.positions.map((position) => placed[position]!.span);
  const [span] = spans;
  if (!span) return null;
  const several = spans.length > 1;
  const took = formatDuration(span.endedAt - span.startedAt);
  const name = several ? `${plural(spans.length, "span")} too narrow to show: zoom in` : `${span.name}, ${took}`;
  const isActive = spans.some(({ spanId }) => spanId === activeId);
  const extent = extentOf(spans);
  return (
    <button
      type="button"
      className={classes.span}
      data-bar={bar.positions[0]}
      data-type={several ? undefined : span.type}
      data-several={several || undefined}
      data-error={spans.some(({ status }) => status === "error") || undefined}
      data-faint={(matches.length > 0 && !isFound) || undefined}
      data-current={(isActive && isFound) || undefined}
      aria-pressed={spans.some(({ spanId }) => spanId === selectedId)}
      aria-label={name}
      title={[name, span.model, several ? null : span.words].filter(Boolean).join("\n")}
      tabIndex={isStop ? 0 : -1}
      style={{ top, left: bar.left, inlineSize: bar.width }}
      onFocus={() => !isActive && view.setActive(span.spanId)}
      onClick={() =>
        several
          ? onZoom({ start: extent.start, end: Math.max(extent.end, extent.start + 0.001) })
          : onSelect(span.spanId)
      }
    >
      {bar.width < NAMED || several ? null : (
        <>
          <span className={classes.label}>{span.name}</span>
          {bar.width < TIMED ? null : <span className={classes.took}>{took}</span>}
        </>
      )}
    </button>
  );
}
