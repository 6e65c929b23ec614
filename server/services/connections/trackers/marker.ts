/** How far our clock may be ahead of a tracker's when searching for tickets by creation time. */
export const CLOCK_SKEW_MS = 5 * 60_000;

const comment = (marker: string) => `<!-- whetstone:${marker} -->`;

/** Returns Markdown that ends in an invisible marker. Text that leaves no room for it is cut. */
export function withMarker(body: string, marker: string, maxLength: number): string {
  const end = `\n\n${comment(marker)}`;
  return cut(body.trimEnd(), maxLength - end.length) + end;
}

export const hasMarker = (body: string | null | undefined, marker: string): boolean =>
  body?.includes(comment(marker)) ?? false;

export const cut = (text: string, maxLength: number): string =>
  text.length <= maxLength ? text : `${text.slice(0, maxLength - 1)}…`;
