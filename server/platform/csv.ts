/** What a spreadsheet would run: clients choose the names that stand in our files. */
const FORMULA = /^[=+\-@\t\r]/;

/** Quoted as RFC 4180 has it, and never a formula; `null` and `undefined` are empty, a number is itself. */
export function csvCell(value: unknown): string {
  if (typeof value === "number") return String(value);
  const text = value == null ? "" : String(value);
  const inert = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** A row of a file, with its end. */
export const csvLine = (cells: readonly unknown[]): string => `${cells.map(csvCell).join(",")}\r\n`;
