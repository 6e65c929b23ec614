/** A chart of fewer points would have bars as wide as words. */
const LEAST = 7;

/** Returns a chart's rows from the first with data on, so that it does not begin with emptiness, but at least the last `least`. */
export function fromFirst<Row>(rows: readonly Row[], hasData: (row: Row) => boolean, least = LEAST): Row[] {
  const first = rows.findIndex(hasData);
  return rows.slice(first === -1 ? 0 : Math.max(0, Math.min(first, rows.length - least)));
}
