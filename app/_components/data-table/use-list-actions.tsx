"use client";
import { notifications } from "@mantine/notifications";
import { type RefObject, useEffect, useRef, useState } from "react";
import { problemOf } from "@/app/_lib/problem";
import { useUndo } from "../feedback/use-undo";
import type { ActionTarget, ListAction } from "./types";
import { focusRow, rowInFocus } from "./use-row-keys";
import type { Selection } from "./use-selection";

type Options<Row> = {
  actions: readonly ListAction<Row>[];
  /** In the order on screen. */
  rows: readonly Row[];
  rowId: (row: Row) => string;
  selection: Selection<Row>;
  container: RefObject<HTMLElement | null>;
  peekId: string | null;
  onPeek: (id: string | null) => void;
};

/** A row that was acted on, until it is known whether it left the list. */
type Leaving = { id: string; beforeId: string | undefined };

const notify = (error: unknown) =>
  notifications.show({ color: "red", title: problemOf(error).title, message: problemOf(error).detail });

/** Returns functions that run a list's actions: each reports what it did, can be undone, and moves on to the next row. */
export function useListActions<Row>(options: Options<Row>) {
  const { actions, rows, rowId, selection, container, peekId, onPeek } = options;
  const { offer, undo } = useUndo();
  const [running, setRunning] = useState<string | null>(null);
  const leaving = useRef<Leaving | null>(null);

  /** Keys must not act on a row that is not on screen, so peek and focus leave `from` together. */
  const moveOn = (from: string, to: string | undefined) => {
    const focused = rowInFocus(container.current);
    if (peekId === from) onPeek(to ?? null);
    if (to !== undefined && (focused === null || focused === from)) focusRow(container.current, to);
  };
  useEffect(() => {
    const last = leaving.current;
    if (last === null || rows.some((row) => rowId(row) === last.id)) return;
    leaving.current = null;
    moveOn(last.id, last.beforeId);
  });

  const run = async (action: ListAction<Row>, given: ActionTarget<Row>) => {
    const target = { ...given, rows: action.applies ? given.rows.filter(action.applies) : given.rows };
    if (running !== null || target.rows.length === 0) return;
    const only = target.rows.length === 1 && !target.matching ? target.rows[0] : undefined;
    const at = only === undefined ? -1 : rows.findIndex((row) => rowId(row) === rowId(only));
    setRunning(action.id);
    try {
      const done = await action.run(target);
      if (done === null) return;
      if (done.undo) offer(done.said, () => void Promise.resolve(done.undo?.()).catch(notify));
      else notifications.show({ message: done.said, ...(done.stays ? { autoClose: false } : {}) });
      if (only === undefined || given.rows.length > 1) selection.clear();
      if (only === undefined || at < 0) return;
      const next = rows[at + 1];
      const before = rows[at - 1];
      if (next !== undefined) moveOn(rowId(only), rowId(next));
      else leaving.current = { id: rowId(only), beforeId: before && rowId(before) };
    } catch (error) {
      notify(error);
    } finally {
      setRunning(null);
    }
  };

  /** Runs the first of `candidates` that applies to the selection, else to the focused row, else to the open one. */
  const runOnChosen = (candidates: readonly ListAction<Row>[]) => {
    const many = selection.rows.length > 0;
    const id = rowInFocus(container.current) ?? peekId;
    const targets = many ? selection.rows : rows.filter((row) => rowId(row) === id);
    const action = candidates.find(
      ({ applies, single, matching }) =>
        !(many && single) && !(selection.matching && !matching) && targets.some((row) => applies?.(row) ?? true),
    );
    if (action) void run(action, { rows: targets, matching: selection.matching });
  };
  const act = (actionId: string, row: Row) => {
    const action = actions.find(({ id }) => id === actionId);
    if (action) void run(action, { rows: [row], matching: false });
  };
  return { runOnChosen, act, undo, running };
}
