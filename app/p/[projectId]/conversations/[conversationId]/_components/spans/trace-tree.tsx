"use client";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef } from "react";
import { useRowKeys } from "@/app/_components/data-table/use-row-keys";
import { SPAN_ROW, SpanRow } from "./span-row";
import { extentOf, sumOf } from "./span-tree";
import classes from "./trace-tree.module.css";
import type { TraceView } from "./use-trace-view";

type Props = { view: TraceView; selectedId: string | null; onSelect: (spanId: string) => void };

/** The spans as a tree of rows, of which only those in view are in the DOM. */
export function TraceTree({ view, selectedId, onSelect }: Props) {
  const { placed, sums, rows, folded, repeats, closed, found, activeId, target } = view;
  const scroller = useRef<HTMLDivElement>(null);
  const extent = useMemo(() => extentOf(placed.map(({ span }) => span)), [placed]);
  const rowOf = useMemo(() => new Map(rows.map((position, row) => [position, row])), [rows]);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => SPAN_ROW,
    overscan: 12,
    initialRect: { width: 900, height: 900 },
  });
  const idAt = (row: number) => placed[rows[row] ?? -1]?.span.spanId;
  const activeIndex = useMemo(
    () => (activeId === null ? -1 : rows.findIndex((position) => placed[position]?.span.spanId === activeId)),
    [rows, placed, activeId],
  );
  const goTo = useRowKeys(scroller, rows.length, {
    scrollToIndex: (index) => virtual.scrollToIndex(index),
    activeIndex,
  });
  const reached = useRef<object | null>(null);
  useEffect(() => {
    if (!target || reached.current === target || idAt(activeIndex) !== target.id) return;
    reached.current = target;
    virtual.scrollToIndex(activeIndex);
  });
  const items = virtual.getVirtualItems();
  // The tree is one stop of the Tab key: the active row or, while that is out of view, the first one rendered.
  const stop = items.some(({ index }) => index === activeIndex) ? activeIndex : items[0]?.index;

  const onKeyDown = (event: React.KeyboardEvent) => {
    const row = Number((event.target as HTMLElement).dataset.row ?? Number.NaN);
    const here = placed[rows[row] ?? -1];
    if (!here || event.ctrlKey || event.metaKey || event.altKey) return;
    const { spanId } = here.span;
    const position = rows[row] ?? -1;
    const folds = here.children > 0 || repeats.has(position);
    const opens = folded.has(spanId) || closed.has(position);
    const unfold = () => (opens ? view.fold(spanId, false) : folds && goTo(row + 1));
    const fold = () =>
      folds && !opens ? view.fold(spanId, true) : here.parent >= 0 && goTo(rowOf.get(here.parent) ?? row);
    const open = () => (closed.has(position) ? view.fold(spanId, false) : onSelect(spanId));
    const act = new Map([
      ["ArrowRight", unfold],
      ["ArrowLeft", fold],
      ["Enter", open],
      [" ", open],
    ]).get(event.key);
    if (!act) return;
    event.preventDefault();
    act();
  };
  return (
    <section className={classes.scroller} ref={scroller} aria-label="Spans, scrollable">
      <div
        role="tree"
        aria-label="Spans"
        tabIndex={-1}
        className={classes.rows}
        style={{ blockSize: virtual.getTotalSize() }}
        onKeyDown={onKeyDown}
      >
        {items.map(({ key, index, start }) => {
          const position = rows[index] ?? -1;
          const row = placed[position];
          if (!row) return null;
          const { spanId } = row.span;
          const repeated = repeats.get(position) ?? 1;
          const shown = placed.slice(position, position + (closed.get(position) ?? 1));
          const isClosed = shown.length > 1;
          const isFound = shown.some((_, nth) => found.has(position + nth));
          return (
            <SpanRow
              key={key}
              row={row}
              sum={sumOf(sums, position, shown.length)}
              until={extentOf(shown.map(({ span }) => span)).end}
              repeated={repeated}
              index={index}
              top={start}
              extent={extent}
              folded={folded.has(spanId) || isClosed}
              found={isFound}
              current={spanId === activeId && isFound}
              selected={spanId === selectedId}
              isStop={index === stop}
              follow={selectedId !== null && spanId !== selectedId && !isClosed}
              onActive={() => view.setActive(spanId)}
              onFold={() => view.fold(spanId, !folded.has(spanId) && !isClosed)}
              onSelect={() => (isClosed ? view.fold(spanId, false) : onSelect(spanId))}
            />
          );
        })}
      </div>
    </section>
  );
}
