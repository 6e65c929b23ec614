/** Only whitespace that is not already a single space: far fewer matches to replace. */
const UNEVEN_SPACE = /\s{2,}|[^\S ]/g;

/** Returns `text` trimmed and with each run of whitespace collapsed to one space. */
export const onOneLine = (text: string): string => text.replace(UNEVEN_SPACE, " ").trim();

/** Returns the first `limit` characters of `text` on one line, for titles and summaries. */
export function excerpt(text: string, limit: number): string {
  const line = onOneLine(text.slice(0, limit * 2));
  return line.length <= limit ? line : `${line.slice(0, limit - 1).trimEnd()}…`;
}

/** Returns the words of `text` on one line that fit into `limit` characters. Only a single word that does not fit is cut. */
export function wholeWords(text: string, limit: number): string {
  const line = onOneLine(text.slice(0, limit * 2));
  if (line.length <= limit) return line;
  const cut = line.slice(0, limit - 1);
  const end = line[limit - 1] === " " ? cut.length : cut.lastIndexOf(" ");
  const kept = end > 0 ? cut.slice(0, end) : cut.replace(/[\ud800-\udbff]$/, "");
  return `${kept.replace(/[\s,;:([{–—-]+$/u, "")}…`;
}
