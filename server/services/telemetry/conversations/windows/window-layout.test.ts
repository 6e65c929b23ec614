import fc from "fast-check";
import { expect, test } from "vitest";
import { layoutWindows } from "./window-layout";

test("every message belongs to exactly one window, with as many around it as fit", () => {
  fc.assert(
    fc.property(
      fc.array(fc.nat(50), { maxLength: 200 }),
      fc.record({
        messages: fc.integer({ min: 5, max: 60 }),
        bytes: fc.integer({ min: 100, max: 2000 }),
        around: fc.nat(10),
      }),
      (lengths, size) => {
        const windows = layoutWindows(lengths, size);
        expect(windows.flatMap(({ owns: { from, to } }) => lengths.slice(from, to))).toEqual(lengths);
        for (const { from, to, owns } of windows) {
          const bytes = lengths.slice(from, to).reduce((sum, length) => sum + length, 0);
          const isOne = owns.to - owns.from === 1;
          expect(isOne || bytes <= size.bytes).toBe(true);
          const before = lengths.slice(from, owns.from).reduce((sum, length) => sum + length, 0);
          const isFull = before + (lengths[from - 1] ?? 0) > size.bytes / 8;
          expect(from === 0 || owns.from - from >= size.around || isFull || owns.to === lengths.length).toBe(true);
          expect(to === lengths.length || to > owns.to || size.around === 0 || lengths[to]! > size.bytes / 8).toBe(
            true,
          );
        }
      },
    ),
  );
});
