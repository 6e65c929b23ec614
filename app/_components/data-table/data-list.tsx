"use client";
import { ErrorState } from "../feedback/error-state";
import { StaleNote } from "../feedback/stale-note";
import { DataTable, type DataTableProps } from "./data-table";
import { ListFoot, type PagedList } from "./list-foot";
import { TableSkeleton } from "./table-skeleton";
import { useReadMore } from "./use-read-more";

/** Of a query, paged or not, what its list needs to know. */
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
  /** One row in a word, for the count below a paged list: "Finding". */
  what?: string;
  /** What is said while the first rows are read. */
  loading: string;
  /** More rows are being read, and none may be there yet. */
  filling?: boolean;
  /** Stands above the rows. */
  note?: React.ReactNode;
  /** Shown when there are none. */
  empty: React.ReactNode;
};

const SKELETON_PX = 560;

const isPaged = (list: List): list is List & PagedList => list.fetchNextPage !== undefined;

/** A DataTable of what a query returned, in each of its states: reading, none, failed, stale, and there. */
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
