"use client";
import {
  type ColumnDef,
  flexRender,
  getCoreRowModel,
  type HeaderGroup,
  type RowData,
  type Row as TableRow,
  useReactTable,
} from "@tanstack/react-table";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef } from "react";
import classes from "./data-table.module.css";
import { RowLink } from "./row-link";
import { clickRow, useFollowFocus, useRowKeys } from "./use-row-keys";

declare module "@tanstack/react-table" {
  interface ColumnMeta<TData extends RowData, TValue> {
    /** CSS width; the one column without a width takes the remaining space. */
    width?: string;
    align?: "end";
    /** This cell is the row's link: the target of j and k, opened by Enter. */
    link?: boolean;
    /** The name in the column menu, if the header is not text. */
    label?: string;
  }
}

export type DataTableProps<Row> = {
  /** The table's accessible name. */
  label: string;
  columns: ColumnDef<Row>[];
  rows: Row[];
  rowId: (row: Row) => string;
  rowHref: (row: Row) => string;
  hidden?: string[];
  rowHeight?: number;
  minWidth: number;
  /** The row that is open next to the table. */
  activeId?: string | null;
  /** Opens a row next to the table, or closes the open one. While one is open, it follows the focus. */
  onPeek?: (row: Row) => void;
  /** Set if there are more rows: called when the end is near. */
  onEnd?: (() => void) | undefined;
  busy?: boolean;
  children?: React.ReactNode;
};

const NEAR_THE_END = 12;

/** A virtualized table: only visible rows are in the DOM. All rows have the same height, so scrolling does not jump. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const { columns, rows, rowId, rowHref, hidden = [], rowHeight = 40, activeId, onPeek, onEnd, busy } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const table = useReactTable({
    data: rows,
    columns,
    getRowId: rowId,
    getCoreRowModel: getCoreRowModel(),
    state: { columnVisibility: Object.fromEntries(hidden.map((id) => [id, false])) },
  });
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
    initialRect: { width: 1200, height: 1000 },
  });
  const items = virtual.getVirtualItems();
  const lastIndex = items.at(-1)?.index ?? 0;
  useEffect(() => {
    if (onEnd && lastIndex >= rows.length - NEAR_THE_END) onEnd();
  }, [onEnd, lastIndex, rows.length]);
  useRowKeys(scroller, rows.length, {
    scrollToIndex: (index) => virtual.scrollToIndex(index),
    activeIndex: activeId == null ? -1 : rows.findIndex((row) => rowId(row) === activeId),
  });

  const shown = table.getVisibleLeafColumns();
  const above = items[0]?.start ?? 0;
  const below = Math.max(0, virtual.getTotalSize() - (items.at(-1)?.end ?? 0));
  const model = table.getRowModel().rows;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a box that scrolls must be reachable by keyboard
    <section ref={scroller} className={classes.scroller} aria-label={label(props)} tabIndex={0}>
      <table
        className={classes.table}
        style={{ minInlineSize: props.minWidth }}
        aria-rowcount={onEnd ? -1 : rows.length + 1}
        aria-busy={busy || undefined}
      >
        <caption className={classes.caption}>{props.label}</caption>
        <colgroup>
          {shown.map((column) => (
            <col key={column.id} style={{ inlineSize: column.columnDef.meta?.width }} />
          ))}
        </colgroup>
        <Head groups={table.getHeaderGroups()} />
        <tbody>
          {above > 0 ? <tr aria-hidden style={{ blockSize: above }} /> : null}
          {items.map((item) => {
            const row = model[item.index];
            return row ? (
              <BodyRow
                key={row.id}
                row={row}
                index={item.index}
                height={rowHeight}
                href={rowHref(row.original)}
                activeId={activeId}
                onPeek={onPeek && (() => onPeek(row.original))}
              />
            ) : null;
          })}
          {below > 0 ? <tr aria-hidden style={{ blockSize: below }} /> : null}
        </tbody>
      </table>
      {props.children}
    </section>
  );
}

const label = (props: { label: string }) => `${props.label}, scrollable`;

const Head = <T,>({ groups }: { groups: HeaderGroup<T>[] }) => (
  <thead>
    {groups.map((group) => (
      <tr key={group.id} aria-rowindex={1}>
        {group.headers.map((header) => (
          <th key={header.id} scope="col" data-align={header.column.columnDef.meta?.align}>
            {flexRender(header.column.columnDef.header, header.getContext())}
          </th>
        ))}
      </tr>
    ))}
  </thead>
);

type BodyRowProps<T> = {
  row: TableRow<T>;
  index: number;
  height: number;
  href: string;
  activeId: string | null | undefined;
  onPeek: (() => void) | undefined;
};

function BodyRow<T>({ row, index, height, href, activeId, onPeek }: BodyRowProps<T>) {
  const following = useFollowFocus();
  const follow = activeId != null && row.id !== activeId ? onPeek : undefined;
  return (
    <tr
      aria-rowindex={index + 2}
      data-row-id={row.id}
      data-active={row.id === activeId || undefined}
      style={{ blockSize: height }}
      {...following(follow)}
      onClick={(event) => {
        if (!onPeek) return;
        const toggle = () => {
          event.currentTarget.querySelector<HTMLElement>("[data-row]")?.focus({ preventScroll: true });
          onPeek();
        };
        clickRow(event, toggle, follow);
      }}
    >
      {row.getVisibleCells().map((cell) => {
        const content = flexRender(cell.column.columnDef.cell, cell.getContext());
        return (
          <td key={cell.id} data-align={cell.column.columnDef.meta?.align}>
            {cell.column.columnDef.meta?.link ? (
              <RowLink href={href} index={index} onPeek={onPeek}>
                {content}
              </RowLink>
            ) : (
              content
            )}
          </td>
        );
      })}
    </tr>
  );
}
