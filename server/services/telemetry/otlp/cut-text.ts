/** Returns text trimmed and cut to a length, or `null` if nothing of it remains. */
export function cutText(text: string, length: number): string | null {
  const trimmed = text.trim();
  // Never split a surrogate pair, which Postgres would reject.
  const cut =
    trimmed.length <= length
      ? trimmed.toWellFormed()
      : trimmed
          .slice(0, length)
          .toWellFormed()
          .replace(/\uFFFD$/, "")
          .trim();
  return cut === "" ? null : cut;
}
