/** More than this is waited for, so that a slow database slows callers down rather than filling the memory. */
const AT_ONCE_MAX = 200;

// On globalThis, because the web server, which waits for it when it stops, and Next's routes are different bundles of one process.
const shared = globalThis as { whetstoneUnfinishedWork?: Set<Promise<void>> };
shared.whetstoneUnfinishedWork ??= new Set();
const unfinished = shared.whetstoneUnfinishedWork;

/** Lets work, which must not fail, be finished without its caller, also while the process stops. Resolves when the caller may go on. */
export async function finishWithoutCaller(work: Promise<void>): Promise<void> {
  unfinished.add(work);
  const done = work.finally(() => unfinished.delete(work));
  if (unfinished.size > AT_ONCE_MAX) await done;
}

/** Resolves when all such work is finished, including what it has begun meanwhile. */
export async function unfinishedWork(): Promise<void> {
  while (unfinished.size > 0) await Promise.all(unfinished);
}
