"use client";
import type { Table } from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { Fragment, type RefObject, useEffect } from "react";
import { Ago } from "../values/ago";
import classes from "./data-table.module.css";
import { FoldRow } from "./folds/fold-row";
import { useFolds } from "./folds/use-folds";
import { ListHead, ListTotals } from "./list-head";
import { ListRow } from "./list-row";
import type { DataListProps } from "./types";
import { useRowKeys } from "./use-row-keys";
import type { Selection } from "./use-selection";

type Props<Row> = Pick<
  DataListProps<Row>,
  "name" | "rowHref" | "rowName" | "rowHeight" | "dimmed" | "embedded" | "details" | "onOpen" | "fold"
> & {
  scroller: RefObject<HTMLElement | null>;
  table: Table<Row>;
  minWidth: number;
  linkPeeks: boolean;
  secondary: boolean;
  /** The row that is open next to the table. */
  activeId: string | null;
  /** Opens a row next to the table, or closes the open one. */
  onPeek: ((row: Row) => void) | undefined;
  selection: Selection<Row> | undefined;
  canSort: (columnId: string) => boolean;
  onSort: (columnId: string) => void;
  /** Set if there are more rows: called when the end is near. */
  onEnd: (() => void) | undefined;
  busy: boolean;
  children?: React.ReactNode;
};

const NEAR_THE_END = 12;

/** A table of rows. With `rowHeight` only the rows in view are in the DOM, and scrolling does not jump. */
export function DataTable<Row>(props: Props<Row>) {
  const {
    name,
    table,
    scroller,
    rowHeight,
    activeId,
    onEnd,
    onOpen,
    onPeek,
    embedded = false,
    details,
    fold,
    selection,
  } = props;
  const { lines, toggle } = useFolds(table.getRowModel().rows, fold);
  const { items, above, below, scrollToIndex } = useWindow(scroller, lines.length, embedded ? undefined : rowHeight);
  const lastIndex = items.at(-1) ?? 0;
  const last = lines.at(-1);
  // More rows would only extend the closed fold without making the list longer, so all pages would be loaded.
  const endsFolded = last?.kind === "fold" && !last.open;
  useEffect(() => {
    if (onEnd && !endsFolded && lastIndex >= lines.length - NEAR_THE_END) onEnd();
  }, [onEnd, endsFolded, lastIndex, lines.length]);
  useRowKeys(scroller, lines.length, {
    ...(scrollToIndex ? { scrollToIndex } : {}),
    activeIndex: activeId === null ? -1 : lines.findIndex((line) => line.id === activeId),
    secondary: props.secondary,
  });
  const columns = table.getVisibleLeafColumns();
  const cells = columns.length + (selection ? 1 : 0);
  const roomy = columns.some((column) => column.columnDef.meta?.roomy);
  return (
    <section
      ref={scroller}
      className={classes.scroller}
      data-list={name}
      data-embedded={embedded || undefined}
      aria-label={`${name}, scrollable`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
      tabIndex={0}
    >
      <table
        className={classes.table}
        data-natural={rowHeight === undefined || undefined}
        data-roomy={roomy || undefined}
        style={{ "--list-min-width": `${props.minWidth / 16}rem` } as React.CSSProperties}
        aria-rowcount={onEnd ? -1 : lines.length + 1}
        aria-busy={props.busy || undefined}
      >
        <caption className={classes.caption}>{name}</caption>
        <colgroup>
          {selection ? <col className={classes.selectColumn} /> : null}
          {columns.map((column) => (
            <col
              key={column.id}
              data-roomy={column.columnDef.meta?.roomy || undefined}
              data-wide={column.columnDef.meta?.wide || undefined}
              style={{ inlineSize: column.columnDef.meta?.width }}
            />
          ))}
        </colgroup>
        <ListHead table={table} canSort={props.canSort} onSort={props.onSort} selection={selection} />
        <tbody>
          {above > 0 ? <tr aria-hidden style={{ blockSize: above }} /> : null}
          {items.map((index) => {
            const line = lines[index];
            if (line === undefined) return null;
            if (line.kind === "fold")
              return (
                <FoldRow
                  key={line.id}
                  index={index}
                  columns={columns.map(({ id, columnDef: { meta } }) => (meta ? { id, meta } : { id }))}
                  selectable={selection !== undefined}
                  height={rowHeight}
                  open={line.open}
                  onToggle={() => toggle(line.rows, !line.open)}
                >
                  {fold?.words(line.rows.map(({ original }) => original))}
                  {fold && line.rows[0] ? (
                    <>
                      , <Ago at={fold.at(line.rows[0].original)} />
                    </>
                  ) : null}
                </FoldRow>
              );
            const { row } = line;
            return (
              <Fragment key={row.id}>
                <ListRow
                  row={row}
                  index={index}
                  height={rowHeight}
                  href={props.rowHref?.(row.original) ?? undefined}
                  linkPeeks={props.linkPeeks}
                  active={row.id === activeId}
                  dimmed={props.dimmed?.(row.original) ?? false}
                  beside={activeId !== null}
                  onPeek={onPeek && (() => onPeek(row.original))}
                  onOpen={onOpen && (() => onOpen(row.original))}
                  name={props.rowName(row.original)}
                  selection={selection}
                />
                {details && row.id === activeId ? (
                  <tr>
                    <td colSpan={cells}>{details(row.original)}</td>
                  </tr>
                ) : null}
              </Fragment>
            );
          })}
          {below > 0 ? <tr aria-hidden style={{ blockSize: below }} /> : null}
        </tbody>
        <ListTotals table={table} selectable={selection !== undefined} />
      </table>
      {props.children}
    </section>
  );
}

/** Returns the indexes of the rows to render: of rows with one height those in view, otherwise all. */
function useWindow(scroller: RefObject<HTMLElement | null>, count: number, height: number | undefined) {
  const virtual = useVirtualizer({
    count: height === undefined ? 0 : count,
    getScrollElement: () => scroller.current,
    estimateSize: () => height ?? 0,
    overscan: 10,
    initialRect: { width: 1200, height: 1000 },
  });
  if (height === undefined) return { items: Array.from({ length: count }, (_, index) => index), above: 0, below: 0 };
  const items = virtual.getVirtualItems();
  return {
    items: items.map(({ index }) => index),
    above: items[0]?.start ?? 0,
    below: Math.max(0, virtual.getTotalSize() - (items.at(-1)?.end ?? 0)),
    scrollToIndex: (index: number) => virtual.scrollToIndex(index),
  };
}
