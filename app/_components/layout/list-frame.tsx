"use client";
import { Table, VisuallyHidden } from "@mantine/core";
import { useRef } from "react";
import { ListFoot } from "../data-table/list-foot";
import { TableSkeleton } from "../data-table/table-skeleton";
import { clickRow, useFollowFocus, useRowKeys } from "../data-table/use-row-keys";
import { ErrorState } from "../feedback/error-state";
import { StaleNote } from "../feedback/stale-note";
import classes from "./list-frame.module.css";

/** Of a paged query, what its list needs to know. */
type List = Parameters<typeof ListFoot>[0]["list"] & {
  dataUpdatedAt: number;
  isPending: boolean;
  isFetching: boolean;
  refetch: () => unknown;
};

export type ListColumn = {
  /** `null`: the one with the row's buttons. */
  label: string | null;
  /** Not on a phone; its cells then take `ROOMY` too. */
  roomy?: boolean;
};
export const ROOMY = { visibleFrom: "sm" } as const;

type Props = {
  /** Names the table for those who do not see it. */
  label: string;
  /** One row in a word, for the count below: "member". */
  what: string;
  columns: readonly ListColumn[];
  /** Narrower than this it scrolls sideways. */
  minWidth: number;
  list: List;
  /** It shows what was asked for before, while the answer to something else is on its way. */
  busy?: boolean;
  /** How many rows `children` are. */
  count: number;
  /** Shown when there are none. */
  empty: React.ReactNode;
  /** j and k move through the rows of one list on a page. */
  keys?: boolean;
  children: React.ReactNode;
};

/** A list whose rows have controls of their own, in each of its states: reading, none, failed, stale, and there. */
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
  /** Grey: it is over. */
  off?: boolean;
  /** Its details follow in the next row. */
  open?: boolean;
  /** Its details are beside the list. */
  active?: boolean;
  /** Details of some row are beside the list: they are those of the row in focus. */
  beside?: boolean;
  /** What a click, Enter and Space do on the row itself. */
  onOpen?: () => void;
  children: React.ReactNode;
};

/** A row that j and k come to; Tab then goes to its controls. */
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
