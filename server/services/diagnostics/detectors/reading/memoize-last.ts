/** Memoizes `read` for the last text only, because many replies share one question. */
export function memoizeLast<Reading>(read: (text: string) => Reading): (text: string) => Reading {
  let last: { text: string; reading: Reading } | null = null;
  return (text) => {
    if (last?.text !== text) last = { text, reading: read(text) };
    return last.reading;
  };
}
