"use client";
import { Table, VisuallyHidden } from "@mantine/core";
import { useRef } from "react";
import { ListFoot } from "../data-table/list-foot";
import { TableSkeleton } from "../data-table/table-skeleton";
import { clickRow, useFollowFocus, useRowKeys } from "../data-table/use-row-keys";
import { ErrorState } from "../feedback/error-state";
import { StaleNote } from "../feedback/stale-note";
import classes from "./list-frame.module.css";

/** The part of a paged query's result that a list needs. */
type List = Parameters<typeof ListFoot>[0]["list"] & {
  dataUpdatedAt: number;
  isPending: boolean;
  isFetching: boolean;
  refetch: () => unknown;
};

export type ListColumn = {
  /** `null` for the column with the row's buttons. */
  label: string | null;
  /** Hidden on a phone; its cells then need `ROOMY` too. */
  roomy?: boolean;
};
export const ROOMY = { visibleFrom: "sm" } as const;

type Props = {
  /** The table's accessible name. */
  label: string;
  /** The singular name of a row, for the count below: "member". */
  what: string;
  columns: readonly ListColumn[];
  /** The minimum width; a narrower list scrolls sideways. */
  minWidth: number;
  list: List;
  /** Previous data is shown while other data is loading. */
  busy?: boolean;
  /** The number of rows in `children`. */
  count: number;
  /** Rendered when the list is empty. */
  empty: React.ReactNode;
  /** Makes j and k move through the rows, for one list per page. */
  keys?: boolean;
  children: React.ReactNode;
};

/** A list whose rows contain controls, in each of its states: loading, empty, failed, stale, loaded. */
export function ListFrame(props: Props) {
  const { label, what, columns, minWidth, list, busy = false, count, empty, keys = true, children } = props;
  const frame = useRef<HTMLDivElement>(null);
  useRowKeys(frame, keys ? count : 0);
  if (count === 0) {
    if (list.error) {
      return <ErrorState error={list.error} onRetry={() => void list.refetch()} retrying={list.isFetching} />;
    }
    return list.isPending ? <TableSkeleton rows={6} label={`Loading: ${label}`} /> : empty;
  }
  return (
    <div ref={frame}>
      <StaleNote error={list.error} dataUpdatedAt={list.dataUpdatedAt} onRetry={() => void list.refetch()} />
      <Table.ScrollContainer minWidth={minWidth}>
        <Table className={classes.table} aria-label={label} aria-busy={busy || undefined}>
          <Table.Thead>
            <Table.Tr>
              {columns.map(({ label: name, roomy }) => (
                <Table.Th key={name} {...(roomy ? ROOMY : {})}>
                  {name ?? <VisuallyHidden>Actions</VisuallyHidden>}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>{children}</Table.Tbody>
        </Table>
      </Table.ScrollContainer>
      <ListFoot shown={count} what={what} list={list} />
    </div>
  );
}

type RowProps = {
  index: number;
  /** Dimmed: it is over. */
  off?: boolean;
  /** Its details are in the next row. */
  open?: boolean;
  /** Its details are next to the list. */
  active?: boolean;
  /** The details of some row are next to the list, and follow the focus. */
  beside?: boolean;
  /** What a click, Enter or Space on the row itself does. */
  onOpen?: () => void;
  children: React.ReactNode;
};

/** A row that j and k focus; Tab then moves to its controls. */
export function ListRow(props: RowProps) {
  const { index, off = false, open = false, active = false, beside = false, onOpen, children } = props;
  const following = useFollowFocus();
  const follow = beside && !active ? onOpen : undefined;
  return (
    <Table.Tr
      className={classes.row}
      tabIndex={-1}
      data-row={index}
      data-off={off || undefined}
      data-open={open || undefined}
      data-active={active || undefined}
      {...following(follow)}
      onClick={(event) => {
        if (onOpen) clickRow(event, onOpen, follow);
      }}
      onKeyDown={(event) => {
        if (!onOpen || event.target !== event.currentTarget || (event.key !== "Enter" && event.key !== " ")) return;
        event.preventDefault();
        onOpen();
      }}
    >
      {children}
    </Table.Tr>
  );
}
