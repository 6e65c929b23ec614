import { useRef, useState } from "react";

const NONE: ReadonlySet<string> = new Set();

/** Returns the selected rows: some of the loaded ones, or all that match `filter`. A change of the filter clears it. */
export function useSelection<Row>(rows: readonly Row[], rowId: (row: Row) => string, filter: unknown) {
  const [ids, setIds] = useState(NONE);
  const [matching, setMatching] = useState(false);
  const anchor = useRef<string | null>(null);
  const key = JSON.stringify(filter);
  const [knownKey, setKnownKey] = useState(key);
  const clear = () => {
    setIds(NONE);
    setMatching(false);
  };
  if (key !== knownKey) {
    setKnownKey(key);
    clear();
  }

  /** Selects or unselects a row; with `range`, also every row between it and the one chosen before. */
  const toggle = (id: string, range = false) => {
    const from = range ? rows.findIndex((row) => rowId(row) === anchor.current) : -1;
    const to = rows.findIndex((row) => rowId(row) === id);
    const base = matching ? rows.map(rowId) : ids;
    const next = new Set(base);
    if (from >= 0) for (const row of rows.slice(Math.min(from, to), Math.max(from, to) + 1)) next.add(rowId(row));
    else if (!next.delete(id)) next.add(id);
    anchor.current = id;
    setMatching(false);
    setIds(next);
  };
  const chosen = matching ? rows : rows.filter((row) => ids.has(rowId(row)));
  return {
    rows: chosen,
    matching,
    isSelected: (id: string) => matching || ids.has(id),
    toggle,
    clear,
    selectLoaded: () => {
      setMatching(false);
      setIds(new Set(rows.map(rowId)));
    },
    selectMatching: () => setMatching(true),
  };
}
export type Selection<Row> = ReturnType<typeof useSelection<Row>>;
