/** The maximum number of concurrent requests, so that a large selection does not use every database connection. */
const AT_A_TIME = 20;

/**
 * Runs a request for each item and returns the results of those that succeeded. One that fails does not stop the others;
 * the first error is thrown only if all fail.
 */
export async function forEach<Item, Result>(items: readonly Item[], request: (item: Item) => Promise<Result>) {
  const settled: PromiseSettledResult<Result>[] = [];
  for (let at = 0; at < items.length; at += AT_A_TIME) {
    settled.push(...(await Promise.allSettled(items.slice(at, at + AT_A_TIME).map(request))));
  }
  const done = settled.filter((one) => one.status === "fulfilled").map(({ value }) => value);
  const failed = settled.find((one) => one.status === "rejected");
  if (done.length === 0 && failed) throw failed.reason;
  return done;
}
