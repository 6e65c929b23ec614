"use client";
import { UnstyledButton } from "@mantine/core";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { useFollowFocus, useRowKeys } from "@/app/_components/data-table/use-row-keys";
import { formatDuration } from "@/app/_lib/format";
import type { RouterOutputs } from "@/app/_lib/trpc/client";
import { extentOf, placeSpans } from "./span-tree";
import classes from "./spans-tab.module.css";

export type SpanData = RouterOutputs["traces"]["get"]["trace"]["spans"][number];
type Props = {
  spans: readonly SpanData[];
  selectedId: string | null;
  onSelect: (spanId: string) => void;
  /** Set if there are more spans: called when the end is near. */
  onEnd: (() => void) | undefined;
};

const ROW = 30;
const NEAR_THE_END = 12;
/** Deeper spans get the maximum indentation. */
const DEPTH_SHOWN = 14;

export function Waterfall({ spans, selectedId, onSelect, onEnd }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const placed = useMemo(() => placeSpans(spans), [spans]);
  const extent = useMemo(() => extentOf(spans), [spans]);
  const virtual = useVirtualizer({
    count: placed.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
    initialRect: { width: 900, height: 900 },
  });
  const selectedIndex = selectedId === null ? -1 : placed.findIndex(({ span }) => span.spanId === selectedId);
  useRowKeys(scroller, placed.length, {
    scrollToIndex: (index) => virtual.scrollToIndex(index),
    activeIndex: selectedIndex,
  });
  const lastIndex = virtual.getVirtualItems().at(-1)?.index ?? 0;
  useEffect(() => {
    if (onEnd && lastIndex >= placed.length - NEAR_THE_END) onEnd();
  }, [onEnd, lastIndex, placed.length]);
  // Once: a refetch must not scroll the reader back.
  const shownId = useRef<string | null>(null);
  useEffect(() => {
    if (selectedIndex < 0 || shownId.current === selectedId) return;
    shownId.current = selectedId;
    virtual.scrollToIndex(selectedIndex);
  }, [selectedIndex, selectedId, virtual]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section className={classes.scroller} ref={scroller} tabIndex={0} aria-label="Spans, scrollable">
      <div style={{ position: "relative", blockSize: virtual.getTotalSize(), minInlineSize: "34rem" }}>
        {virtual.getVirtualItems().map((item) => {
          const row = placed[item.index];
          if (!row) return null;
          const { spanId } = row.span;
          return (
            <SpanRow
              key={item.key}
              {...row}
              index={item.index}
              top={item.start}
              extent={extent}
              selected={spanId === selectedId}
              follow={selectedIndex >= 0 && selectedIndex !== item.index}
              onSelect={() => onSelect(spanId)}
            />
          );
        })}
      </div>
    </section>
  );
}

type SpanRowProps = {
  span: SpanData;
  depth: number;
  index: number;
  top: number;
  extent: { start: number; end: number };
  selected: boolean;
  /** Another span is open, so this one opens when it gets the focus. */
  follow: boolean;
  onSelect: () => void;
};

function SpanRow({ span, depth, index, top, extent, selected, follow, onSelect }: SpanRowProps) {
  const following = useFollowFocus();
  const whole = Math.max(1, extent.end - extent.start);
  const took = span.endedAt - span.startedAt;
  return (
    <UnstyledButton
      className={classes.row}
      data-row={index}
      data-selected={selected || undefined}
      aria-pressed={selected}
      style={{ blockSize: ROW, transform: `translateY(${top}px)` }}
      {...following(follow ? onSelect : undefined)}
      onClick={onSelect}
    >
      <span className={classes.name} style={{ paddingInlineStart: `${Math.min(depth, DEPTH_SHOWN) * 0.875}rem` }}>
        <span
          className={classes.type}
          data-counted={span.counted || undefined}
          title={span.counted ? "counted as a model call" : undefined}
        >
          {span.type}
        </span>
        <span className="clip">{span.name}</span>
        {span.status === "error" ? <span className={classes.failed}>error</span> : null}
      </span>
      <span className={classes.lane}>
        <span
          className={classes.fill}
          data-error={span.status === "error" || undefined}
          style={{
            insetInlineStart: `${((span.startedAt - extent.start) / whole) * 100}%`,
            inlineSize: `max(2px, ${(took / whole) * 100}%)`,
          }}
        />
      </span>
      <span className={`${classes.took} tabular`}>{formatDuration(took)}</span>
    </UnstyledButton>
  );
}
