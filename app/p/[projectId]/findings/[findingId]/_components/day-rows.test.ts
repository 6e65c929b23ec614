import { expect, test } from "vitest";
import { dayRows } from "./day-rows";

test("days without an occurrence are filled in as zeros", () => {
  const day = Date.UTC(2026, 10, 20);
  const rows = dayRows([
    { day: day - 2 * 86_400_000, occurrences: 3, conversations: 10 },
    { day, occurrences: 1, conversations: 4 },
  ]);
  expect(rows).toHaveLength(30);
  expect(rows.slice(-3).map((row) => row.occurrences)).toEqual([3, 0, 1]);
  expect(rows.at(-2)?.conversations).toBeNull();
  expect(dayRows([])).toEqual([]);
});
