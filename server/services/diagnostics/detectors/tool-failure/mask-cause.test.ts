import { expect, test } from "vitest";
import { describeCause, maskCause } from "./mask-cause";

test.each([
  ["Error: Reservation ZFA04Y not found", "Error: Reservation oHJ3K9 not found"],
  [
    "Error: Payment amount does not add up, total price is 375, but paid 299",
    "Error: Payment amount does not add up, total price is 1,684, but paid 842.50",
  ],
  ["File '/tmp/a/b.txt' does not exist", "File '/home/me/c.csv' does not exist"],
  ["No user ada@example.com", "No user grace.hopper@navy.mil"],
  ["time data '2024-05-19T12:00:00' is late", "time data '2023-01-02' is late"],
  ["job 8f14e45f-ceea-467f-a8d1-7c8b0f0e9a11 failed", "job 0cc175b9-c0f1-46a8-b1c3-99e269772661 failed"],
])("the same failure with other values has one cause: %s", (a, b) => expect(maskCause(a)).toBe(maskCause(b)));

test("different failures have different causes", () => {
  expect(maskCause("Order 7 not found")).not.toBe(maskCause("Order 7 already paid"));
});

test("a title describes the failure without values or the word error", () => {
  expect(describeCause("Error: Order not found")).toBe("order not found");
  expect(describeCause("ValueError: Channel 'x' does not exist")).toBe("channel … does not exist");
  expect(describeCause("HTTP 503")).toBe("HTTP …");
});

test("a cause is cut between characters, also between those that UTF-16 has two units for", () => {
  for (const before of ["", "x"]) expect(maskCause(before + "\u{1f9ea}".repeat(300)).isWellFormed()).toBe(true);
});
