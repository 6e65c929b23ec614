"use client";
import { useRef } from "react";
import { ESC, useKeys } from "@/app/_lib/use-keys";
import { ErrorState } from "../feedback/error-state";
import { StaleNote } from "../feedback/stale-note";
import { BulkBar } from "./bulk-bar";
import { DataTable } from "./data-table";
import classes from "./data-table.module.css";
import { ListFoot } from "./list-foot";
import { TableSkeleton } from "./table-skeleton";
import type { DataListProps, ListAction } from "./types";
import { useListActions } from "./use-list-actions";
import { useListTable } from "./use-list-table";
import { useListView } from "./use-list-view";
import { useReadMore } from "./use-read-more";
import { rowInFocus, takesKeys } from "./use-row-keys";
import { useSelection } from "./use-selection";

const SKELETON_PX = 560;
const DEFAULT_ROW_PX = 40;
const NO_ACTIONS: readonly never[] = [];

/**
 * A list in each of its states (loading, empty, failed, stale, loaded), with focus, peek, selection, actions, order and
 * columns. Its view is stored in the URL.
 */
export function DataList<Row>(props: DataListProps<Row>) {
  const { list, rowId, peek, details, matching, scope, embedded = false } = props;
  const actions: readonly ListAction<Row>[] = props.actions ?? NO_ACTIONS;
  const container = useRef<HTMLElement>(null);
  const [view, setView] = useListView(scope);
  const peekId = peek || details ? view.peek : null;
  const { table, canSort, toggleSort } = useListTable({
    ...props,
    view: { ...view, peek: peek ? peekId : null },
    onSort: (sort) => void setView({ sort }),
  });
  const rows = table.getRowModel().rows.map((row) => row.original);
  const selection = useSelection(rows, rowId, matching?.filter);
  const onPeek = (id: string | null) => void setView({ peek: id });
  const { runOnChosen, act, undo, running } = useListActions({
    actions,
    rows,
    rowId,
    selection,
    container,
    peekId,
    onPeek,
  });
  const selectable = actions.some((action) => !action.single);
  const offersMatching = Boolean(matching && list.hasNextPage && actions.some((action) => action.matching));
  const selectAll = () => (offersMatching ? selection.selectMatching() : selection.selectLoaded());

  const mine = (act: () => void) => () => takesKeys(container.current, scope !== undefined) && act();
  const onFocused = (range: boolean) => () => {
    const id = rowInFocus(container.current);
    if (id !== null && selectable) selection.toggle(id, range);
  };
  useKeys({
    ...Object.fromEntries(
      actions.flatMap(({ key }) =>
        key ? [[key, mine(() => runOnChosen(actions.filter((action) => action.key === key)))]] : [],
      ),
    ),
    ...(selectable ? { x: onFocused(false), X: onFocused(true) } : {}),
    ...(actions.length > 0 ? { u: mine(undo) } : {}),
    [ESC]: (event) => {
      if (!takesKeys(container.current, scope !== undefined)) return;
      if (peekId === null && selection.rows.length === 0) return;
      // This press only closes something; the surrounding page may handle the next one.
      event.preventDefault();
      if (peekId === null) selection.clear();
      else onPeek(null);
    },
  });

  const readMore = useReadMore(list);
  const row = rows.find((one) => rowId(one) === peekId);
  return (
    <div className={classes.panes} data-embedded={embedded || undefined}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: a key of the table inside, whose rows have the focus */}
      <div
        className={classes.pane}
        onKeyDown={(event) => {
          // Leaves the browser's own "select all" alone unless a row has the focus.
          if (!selectable || event.key !== "a" || !(event.metaKey || event.ctrlKey) || event.altKey) return;
          if (event.shiftKey || !(event.target as Element).matches("[data-row]")) return;
          event.preventDefault();
          selectAll();
        }}
      >
        <Loaded {...props} count={rows.length} onRetry={() => void list.refetch()}>
          <DataTable<Row>
            {...props}
            fold={view.sort === null ? props.fold : undefined}
            scroller={container}
            table={table}
            minWidth={peekId === null || !peek ? props.minWidth : (props.minWidthAside ?? props.minWidth)}
            linkPeeks={props.linkPeeks ?? false}
            secondary={scope !== undefined}
            activeId={peekId}
            onPeek={(peek || details) && ((one) => onPeek(rowId(one) === peekId ? null : rowId(one)))}
            selection={selectable ? selection : undefined}
            canSort={canSort}
            onSort={toggleSort}
            onEnd={readMore}
            busy={list.isPlaceholderData}
          >
            <ListFoot shown={rows.length} what={props.what} list={list} />
          </DataTable>
          <BulkBar
            what={props.what}
            selection={selection}
            actions={actions}
            offersMatching={offersMatching}
            total={matching?.total}
            running={running}
            onRun={(action) => runOnChosen([action])}
          />
        </Loaded>
      </div>
      {peek && peekId !== null
        ? peek({ id: peekId, row, close: () => onPeek(null), act, undo, busy: running !== null })
        : null}
    </div>
  );
}

type LoadedProps = Pick<
  DataListProps<unknown>,
  "name" | "list" | "filling" | "note" | "empty" | "rowHeight" | "embedded"
> & { count: number; onRetry: () => void; children: React.ReactNode };

/** Renders `children` once there are rows; until then, the reason why there are none. */
function Loaded({
  name,
  list,
  count,
  filling = false,
  note,
  empty,
  rowHeight,
  embedded,
  onRetry,
  children,
}: LoadedProps) {
  if (count === 0) {
    if (list.error) return <ErrorState error={list.error} onRetry={onRetry} retrying={list.isFetching} />;
    if (!list.isPending && !filling) return empty;
    const height = rowHeight ?? DEFAULT_ROW_PX;
    return (
      <TableSkeleton
        rowHeight={height}
        rows={embedded ? 6 : Math.floor(SKELETON_PX / height)}
        label={`Loading: ${name}`}
      />
    );
  }
  return (
    <>
      <StaleNote error={list.error} dataUpdatedAt={list.dataUpdatedAt} onRetry={onRetry} />
      {note}
      {children}
    </>
  );
}
