import { UnstyledButton, VisuallyHidden } from "@mantine/core";
import { IconArrowDown, IconArrowUp } from "@tabler/icons-react";
import { flexRender, type Header, type Table } from "@tanstack/react-table";
import classes from "./data-table.module.css";
import { ListCheck } from "./list-check";
import type { Selection } from "./use-selection";

type Props<Row> = {
  table: Table<Row>;
  /** Returns whether the list can be sorted by a column. */
  canSort: (columnId: string) => boolean;
  onSort: (columnId: string) => void;
  /** Absent if rows cannot be selected. */
  selection: Selection<Row> | undefined;
};

export function ListHead<Row>({ table, canSort, onSort, selection }: Props<Row>) {
  return (
    <thead>
      {table.getHeaderGroups().map((group) => (
        <tr key={group.id} aria-rowindex={1}>
          {selection ? <SelectAll selection={selection} count={table.getRowModel().rows.length} /> : null}
          {group.headers.map((header) => (
            <HeadCell key={header.id} header={header} sortable={canSort(header.column.id)} onSort={onSort} />
          ))}
        </tr>
      ))}
    </thead>
  );
}

function SelectAll<Row>({ selection, count }: { selection: Selection<Row>; count: number }) {
  const all = selection.rows.length === count;
  return (
    <th scope="col" className={classes.select}>
      <ListCheck
        aria-label="Select all loaded rows"
        checked={count > 0 && all}
        indeterminate={!all && selection.rows.length > 0}
        onChange={() => (all ? selection.clear() : selection.selectLoaded())}
      />
    </th>
  );
}

/** Sums below the rows, if any column has one. */
export function ListTotals<Row>({ table, selectable }: { table: Table<Row>; selectable: boolean }) {
  if (table.getVisibleLeafColumns().every((column) => column.columnDef.footer === undefined)) return null;
  return (
    <tfoot>
      {table.getFooterGroups().map((group) => (
        <tr key={group.id}>
          {selectable ? <td /> : null}
          {group.headers.map(({ id, column, getContext }) => (
            <td
              key={id}
              data-align={column.columnDef.meta?.align}
              data-roomy={column.columnDef.meta?.roomy || undefined}
              data-wide={column.columnDef.meta?.wide || undefined}
            >
              {flexRender(column.columnDef.footer, getContext())}
            </td>
          ))}
        </tr>
      ))}
    </tfoot>
  );
}

const ARIA_SORT = { asc: "ascending", desc: "descending" } as const;

type HeadCellProps<Row> = { header: Header<Row, unknown>; sortable: boolean; onSort: (columnId: string) => void };

function HeadCell<Row>({ header, sortable, onSort }: HeadCellProps<Row>) {
  const { column } = header;
  const { align, roomy, wide, controls, label } = column.columnDef.meta ?? {};
  const sorted = column.getIsSorted();
  const name = flexRender(column.columnDef.header, header.getContext());
  const Arrow = sorted === "desc" ? IconArrowDown : IconArrowUp;
  return (
    <th
      scope="col"
      data-align={align}
      data-roomy={roomy || undefined}
      data-wide={wide || undefined}
      data-controls={controls || undefined}
      aria-sort={sorted ? ARIA_SORT[sorted] : undefined}
    >
      {controls ? (
        <VisuallyHidden>{label ?? "Actions"}</VisuallyHidden>
      ) : sortable ? (
        <UnstyledButton className={classes.sort} onClick={() => onSort(column.id)} title="Sort">
          {name}
          <Arrow size={12} aria-hidden data-on={sorted !== false || undefined} />
        </UnstyledButton>
      ) : (
        name
      )}
    </th>
  );
}
