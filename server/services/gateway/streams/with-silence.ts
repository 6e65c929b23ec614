/** Stands for a time without an item. */
export const SILENCE = Symbol("silence");

/** Yields the items as they come, and `SILENCE` each time that none came for so long. */
export async function* withSilence<Item>(
  items: AsyncIterable<Item>,
  silenceMs: number,
): AsyncGenerator<Item | typeof SILENCE> {
  const iterator = items[Symbol.asyncIterator]();
  let wake = () => {};
  const timer = setInterval(() => wake(), silenceMs);
  try {
    for (let next = iterator.next(); ; ) {
      const silent = new Promise<typeof SILENCE>((resolve) => {
        wake = () => resolve(SILENCE);
      });
      timer.refresh();
      const item = await Promise.race([next, silent]);
      if (item === SILENCE) {
        yield SILENCE;
        continue;
      }
      if (item.done) return;
      yield item.value;
      next = iterator.next();
    }
  } finally {
    clearInterval(timer);
    // Not awaited: it would wait for an item that may never come.
    void iterator.return?.().catch(() => {});
  }
}
