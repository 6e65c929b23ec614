import { MutationObserver, QueryObserver } from "@tanstack/react-query";
import { TRPCClientError } from "@trpc/client";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { makeQueryClient } from "./query-client";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const refusal = (httpStatus: number, retryAfter: number | null = null) => {
  const data = { code: "X", httpStatus, retryAfter };
  return TRPCClientError.from({ error: { code: -32000, message: "No.", data } } as never);
};
/** Fails that many times, then succeeds. */
const after = (times: number, error: unknown) => {
  const request = vi.fn(async () => {
    if (request.mock.calls.length <= times) throw error;
    return "done";
  });
  return request;
};
const outcome = (of: Promise<unknown>) => of.catch((error: Error) => error.message);

function query(queryFn: () => Promise<string>) {
  return outcome(makeQueryClient().fetchQuery({ queryKey: ["q"], queryFn }));
}
function mutate(mutationFn: () => Promise<string>) {
  return outcome(new MutationObserver(makeQueryClient(), { mutationFn }).mutate());
}

test.each([
  ["a question", query],
  ["a change", mutate],
])("%s over the rate limit is retried after Retry-After and succeeds", async (_, send) => {
  const request = after(2, refusal(429, 7));
  const done = send(request);
  await vi.advanceTimersByTimeAsync(6900);
  expect(request).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(600);
  expect(request).toHaveBeenCalledTimes(2);
  await vi.advanceTimersByTimeAsync(7500);
  expect(await done).toBe("done");
});

test("a Retry-After of a minute fails immediately, and retries stop after six attempts", async () => {
  const long = after(1, refusal(429, 60));
  expect(await query(long)).toBe("No.");
  const never = after(99, refusal(429, 1));
  const done = query(never);
  await vi.runAllTimersAsync();
  expect(await done).toBe("No.");
  expect(never).toHaveBeenCalledTimes(6);
});

test("a failed query is retried, a refused one is not, and a failed mutation is never sent twice", async () => {
  const failed = after(2, refusal(503, 5));
  const done = query(failed);
  await vi.runAllTimersAsync();
  expect(await done).toBe("done");
  const refused = after(1, refusal(403));
  expect(await query(refused)).toBe("No.");
  const change = after(1, refusal(503, 5));
  expect(await mutate(change)).toBe("No.");
  expect([refused, change].map(({ mock }) => mock.calls.length)).toEqual([1, 1]);
});

test("a query that is invalidated during its first load is loaded again", async () => {
  let stored = "before";
  const queryFn = async () => {
    const read = stored;
    await new Promise((resolve) => setTimeout(resolve, 1000));
    return read;
  };
  const client = makeQueryClient();
  const stop = new QueryObserver(client, { queryKey: ["q"], queryFn }).subscribe(() => {});
  await vi.advanceTimersByTimeAsync(500);
  stored = "after";
  const invalidated = client.invalidateQueries({ queryKey: ["q"] });
  await vi.advanceTimersByTimeAsync(500);
  expect(client.getQueryData(["q"])).toBe("before");
  await vi.advanceTimersByTimeAsync(1000);
  expect(client.getQueryData(["q"])).toBe("after");
  await invalidated;
  stop();
});
