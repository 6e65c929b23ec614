/** Guards against formula injection: clients choose names that end up in our files. */
const FORMULA = /^[=+\-@\t\r]/;

/** Returns a cell quoted per RFC 4180 and never a formula; `null` and `undefined` are empty, numbers are unquoted. */
export function csvCell(value: unknown): string {
  if (typeof value === "number") return String(value);
  const text = value == null ? "" : String(value);
  const inert = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** Returns a row with its line ending. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(csvCell).join(",")}\r\n`;
