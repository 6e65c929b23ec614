import type { Row as TableRow } from "@tanstack/react-table";
import { useMemo, useState } from "react";
import type { Fold } from "../types";

/** Fewer rows take hardly more space than the line that would replace them. */
const FOLDED_FROM = 3;

/** A line of a table: a row, or a fold, whose rows follow it while it is open. */
export type Line<Row> =
  | { kind: "row"; id: string; row: TableRow<Row> }
  | { kind: "fold"; id: string; rows: readonly TableRow<Row>[]; open: boolean };

/** Returns the lines of a table. A fold is open if any of its rows was in an opened one, so it stays open as it grows. */
export function linesOf<Row>(
  rows: readonly TableRow<Row>[],
  fold: Fold<Row> | undefined,
  opened: ReadonlySet<string>,
): Line<Row>[] {
  const lines: Line<Row>[] = [];
  for (let at = 0; at < rows.length; ) {
    const of = fold?.of(rows[at]!.original) ?? null;
    let end = at + 1;
    if (of !== null) while (end < rows.length && fold?.of(rows[end]!.original) === of) end++;
    const run = rows.slice(at, end);
    const folded = of !== null && run.length >= FOLDED_FROM;
    const open = !folded || run.some(({ id }) => opened.has(id));
    if (folded) lines.push({ kind: "fold", id: `fold ${run[0]!.id}`, rows: run, open });
    if (open) lines.push(...run.map((row): Line<Row> => ({ kind: "row", id: row.id, row })));
    at = end;
  }
  return lines;
}

/** Returns a table's lines, and a function that opens or closes a fold. */
export function useFolds<Row>(rows: readonly TableRow<Row>[], fold: Fold<Row> | undefined) {
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const toggle = (folded: readonly TableRow<Row>[], open: boolean) =>
    setOpened((before) => {
      const next = new Set(before);
      for (const { id } of folded) open ? next.add(id) : next.delete(id);
      return next;
    });
  const lines = useMemo(() => linesOf(rows, fold, opened), [rows, fold, opened]);
  return { lines, toggle };
}
