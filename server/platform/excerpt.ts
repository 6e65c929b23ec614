/** White space that is not one plain space already: far less to replace than all of it. */
const UNEVEN_SPACE = /\s{2,}|[^\S ]/g;

/** `text` with every run of white space as one space, and none at its ends. */
export const onOneLine = (text: string): string => text.replace(UNEVEN_SPACE, " ").trim();

/** The first `limit` characters of `text` on one line, for titles and summaries. */
export function excerpt(text: string, limit: number): string {
  const line = onOneLine(text.slice(0, limit * 2));
  return line.length <= limit ? line : `${line.slice(0, limit - 1).trimEnd()}…`;
}
