"use client";
import { ErrorState } from "../feedback/error-state";
import { StaleNote } from "../feedback/stale-note";
import { DataTable, type DataTableProps } from "./data-table";
import { ListFoot, type PagedList } from "./list-foot";
import { TableSkeleton } from "./table-skeleton";
import { useReadMore } from "./use-read-more";

/** The part of a query's result, paged or not, that a list needs. */
type List = {
  error: unknown;
  dataUpdatedAt: number;
  isPending: boolean;
  isFetching: boolean;
  isPlaceholderData: boolean;
  refetch: () => unknown;
} & Partial<PagedList>;

type Props<Row> = Omit<DataTableProps<Row>, "onEnd" | "busy" | "children"> & {
  list: List;
  /** The singular name of a row, for the count below a paged list: "Finding". */
  what?: string;
  /** The message while the first rows are loading. */
  loading: string;
  /** More rows are loading, and the list may still be empty. */
  filling?: boolean;
  /** Rendered above the rows. */
  note?: React.ReactNode;
  /** Rendered when the list is empty. */
  empty: React.ReactNode;
};

const SKELETON_PX = 560;

const isPaged = (list: List): list is List & PagedList => list.fetchNextPage !== undefined;

/** A DataTable over a query's result in each of its states: loading, empty, failed, stale, loaded. */
export function DataList<Row>(props: Props<Row>) {
  const { list, what, loading, filling = false, note, empty, ...table } = props;
  const readMore = useReadMore(list);
  const retry = () => void list.refetch();
  if (table.rows.length === 0) {
    if (list.error) return <ErrorState error={list.error} onRetry={retry} retrying={list.isFetching} />;
    if (!list.isPending && !filling) return empty;
    const { rowHeight = 40 } = table;
    return <TableSkeleton rowHeight={rowHeight} rows={Math.floor(SKELETON_PX / rowHeight)} label={loading} />;
  }
  return (
    <>
      <StaleNote error={list.error} dataUpdatedAt={list.dataUpdatedAt} onRetry={retry} />
      {note}
      <DataTable {...table} onEnd={readMore} busy={list.isPlaceholderData}>
        {isPaged(list) && what ? <ListFoot shown={table.rows.length} what={what} list={list} /> : null}
      </DataTable>
    </>
  );
}
