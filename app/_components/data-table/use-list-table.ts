import { getCoreRowModel, getSortedRowModel, useReactTable } from "@tanstack/react-table";
import { useState } from "react";
import type { Sort } from "./list-view";
import type { DataListProps } from "./types";

type View = { sort: Sort | null; hide: readonly string[]; peek: string | null };
type Options<Row> = Pick<DataListProps<Row>, "rows" | "rowId" | "columns" | "list"> & {
  view: View;
  onSort: (sort: Sort | null) => void;
};

/** Returns the same array for the same rows. Pages build a new one on each render, and a table recomputes its rows for it. */
function useSame<Row>(rows: readonly Row[]): readonly Row[] {
  const [known, setKnown] = useState(rows);
  if (rows === known || (rows.length === known.length && rows.every((row, at) => row === known[at]))) return known;
  setKnown(rows);
  return rows;
}

/** Returns a list's table with the order and the columns from its URL. */
export function useListTable<Row>({ rows, rowId, columns, list, view, onSort }: Options<Row>) {
  const { sort, hide, peek } = view;
  const byServer = columns.some(({ meta }) => meta?.sort === "server");
  /** Rows are sorted in the browser only if all of them are loaded. */
  const canSort = (columnId: string) => {
    const column = columns.find(({ id }) => id === columnId);
    if (column === undefined) return false;
    return byServer ? column.meta?.sort === "server" : "accessorFn" in column && !list.hasNextPage;
  };
  const isEmpty = ({ meta }: (typeof columns)[number]) =>
    meta?.isEmpty !== undefined && rows.length > 0 && rows.every(meta.isEmpty);
  const isHidden = (column: (typeof columns)[number]) => isEmpty(column) || isPutAway(column);
  const isPutAway = ({ id, meta }: (typeof columns)[number]) =>
    peek === null ? hide.includes(id) && !meta?.link && !meta?.controls : meta?.aside === true;
  const table = useReactTable<Row>({
    data: useSame(rows) as Row[],
    columns,
    getRowId: rowId,
    getCoreRowModel: getCoreRowModel(),
    getSortedRowModel: getSortedRowModel(),
    manualSorting: byServer,
    // Nothing is paged in the browser; resetting what does not exist would render forever.
    autoResetAll: false,
    defaultColumn: { sortUndefined: "last" },
    state: {
      sorting: sort && canSort(sort.by) ? [{ id: sort.by, desc: sort.descending }] : [],
      columnVisibility: Object.fromEntries(columns.map((column) => [column.id, !isHidden(column)])),
    },
  });
  /** Cycles through the first direction, the other one, and the list's own order. Numbers and times start with the largest. */
  const toggleSort = (columnId: string) => {
    const first = columns.find(({ id }) => id === columnId)?.meta?.align === "end";
    if (sort?.by !== columnId) onSort({ by: columnId, descending: first });
    else onSort(sort.descending === first ? { by: columnId, descending: !first } : null);
  };
  return { table, canSort, toggleSort };
}
