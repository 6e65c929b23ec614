import { beforeEach, expect, test } from "vitest";
import { databaseWorked, isTroubled, troubleOf, unavailable } from "./database-trouble";

const SECOND = 1000;
beforeEach(() => databaseWorked("write"));

/** When an exporter of OpenTelemetry tries again that was told so at each of its tries, and gives up after five. */
function triesOfAnExporter(timeoutSeconds: number) {
  const tries = [];
  for (let at = 0, n = 0; n < 5; n++) {
    const { retryAfter = 0 } = unavailable("away", undefined, at * SECOND);
    at += retryAfter;
    if (at > timeoutSeconds) break;
    tries.push(at);
  }
  return tries;
}

test("an exporter comes through a minute when it may try that long, and through some seconds as it is set by default", () => {
  expect(triesOfAnExporter(120)).toEqual([2, 5, 13, 33, 63]);
  databaseWorked("read");
  expect(triesOfAnExporter(10)).toEqual([2, 5]);
});

test("a trouble is over when something works, a full disk when something was stored, and any after a quiet minute", () => {
  unavailable("away", undefined, 0);
  unavailable("full", undefined, 0);
  databaseWorked("read");
  expect([isTroubled("away", 1), isTroubled("full", 1)]).toEqual([false, true]);
  expect(isTroubled("full", 60 * SECOND)).toBe(false);
  expect(unavailable("full", undefined, 61 * SECOND).retryAfter).toBe(2);
  databaseWorked("write");
  expect(isTroubled("full", 62 * SECOND)).toBe(false);
});

test("each code is one kind of trouble, and a mistake of ours is none", () => {
  expect(
    ["53100", "57014", "53300", "40P01", "57P01", "ECONNREFUSED", "CONNECT_TIMEOUT"].map((c) => troubleOf([c])),
  ).toEqual(["full", "slow", "busy", "busy", "away", "away", "away"]);
  expect(troubleOf(["42P01"])).toBeUndefined();
  expect(troubleOf([])).toBeUndefined();
});
