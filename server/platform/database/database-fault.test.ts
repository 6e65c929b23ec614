import { beforeEach, expect, test } from "vitest";
import { SECOND_MS } from "@/server/platform/durations";
import { faultOf, hasRecentFault, recordDatabaseSuccess, unavailable } from "./database-fault";

beforeEach(() => recordDatabaseSuccess("write"));

/** Returns the seconds at which an OpenTelemetry exporter retries that honours each Retry-After and gives up after five. */
function exporterRetries(timeoutSeconds: number) {
  const retries = [];
  for (let at = 0, n = 0; n < 5; n++) {
    const { retryAfter = 0 } = unavailable("away", undefined, at * SECOND_MS);
    at += retryAfter;
    if (at > timeoutSeconds) break;
    retries.push(at);
  }
  return retries;
}

test("an exporter survives a minute's outage with a raised timeout, and a few seconds with its default", () => {
  expect(exporterRetries(120)).toEqual([2, 5, 13, 33, 63]);
  recordDatabaseSuccess("read");
  expect(exporterRetries(10)).toEqual([2, 5]);
});

test("a fault clears on a success, a full disk only on a write, and any after a minute without errors", () => {
  unavailable("away", undefined, 0);
  unavailable("full", undefined, 0);
  recordDatabaseSuccess("read");
  expect([hasRecentFault("away", 1), hasRecentFault("full", 1)]).toEqual([false, true]);
  expect(hasRecentFault("full", 60 * SECOND_MS)).toBe(false);
  expect(unavailable("full", undefined, 61 * SECOND_MS).retryAfter).toBe(2);
  recordDatabaseSuccess("write");
  expect(hasRecentFault("full", 62 * SECOND_MS)).toBe(false);
});

test("each code maps to one fault, and a programming error to none", () => {
  expect(
    ["53100", "57014", "53300", "40P01", "57P01", "ECONNREFUSED", "CONNECT_TIMEOUT"].map((c) => faultOf([c])),
  ).toEqual(["full", "slow", "busy", "busy", "away", "away", "away"]);
  expect(faultOf(["42P01"])).toBeUndefined();
  expect(faultOf([])).toBeUndefined();
});
