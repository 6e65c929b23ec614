import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { limitedUntil, type ReplyHeaders } from "./rate-limit";

const NOW = Date.parse("2026-03-01T12:00:00Z");
beforeEach(() => void vi.useFakeTimers({ now: NOW }));
afterEach(() => void vi.useRealTimers());

const until = (status: number, headers: ReplyHeaders, words = "") => {
  const end = limitedUntil({ status, headers, words }, { remaining: "remaining", reset: "reset" });
  return end === undefined ? undefined : (end - NOW) / 1000;
};
const inSeconds = (seconds: number) => String(NOW / 1000 + seconds);

test.each([
  ["no calls are left", 403, { remaining: "0", reset: inSeconds(90) }, "", 90],
  ["no calls are left, said with its own status", 429, { remaining: "0", reset: inSeconds(90) }, "", 90],
  ["it says in how many seconds to retry", 403, { "retry-after": "30", remaining: "0", reset: inSeconds(90) }, "", 30],
  ["it says at what time to retry", 429, { "retry-after": "Sun, 01 Mar 2026 12:02:00 GMT" }, "", 120],
  ["only its text says so", 403, { remaining: "12" }, "You have exceeded a secondary rate limit.", 60],
  ["it names no end", 429, {}, "Retry later", 60],
])("a reply counts as rate-limited when %s", (_, status, headers, words, seconds) => {
  expect(until(status, headers, words)).toBe(seconds);
});

test("a refusal for another reason does not count as rate-limited", () => {
  expect(until(403, { remaining: "12", reset: inSeconds(90) }, "Resource not accessible")).toBeUndefined();
  expect(until(404, { remaining: "0", reset: inSeconds(90) })).toBeUndefined();
});
