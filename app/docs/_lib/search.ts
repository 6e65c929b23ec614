/** An operation as the overview lists it. `words` are names of its parameters and fields. */
export type Found = { id: string; method: string; path: string; summary: string; words: string };
export type FoundArea = { name: string; slug: string; operations: readonly Found[] };

/** Returns the operations that have every word of the query somewhere: in the path, the sentence, the area or the fields. */
export function search(areas: readonly FoundArea[], query: string): FoundArea[] {
  const wanted = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (wanted.length === 0) return [...areas];
  return areas
    .map((area) => ({
      ...area,
      operations: area.operations.filter(({ id, method, path, summary, words }) => {
        const text = [area.name, id, method, path, summary, words].join(" ").toLowerCase();
        return wanted.every((word) => text.includes(word));
      }),
    }))
    .filter(({ operations }) => operations.length > 0);
}

/** Returns where an anchor of the former single page has moved; `null` for one of the overview. */
export function movedTo(areas: readonly FoundArea[], anchor: string): string | null {
  const area = areas.find(
    ({ slug, operations }) => anchor === `subject-${slug}` || operations.some(({ id }) => id === anchor),
  );
  if (!area) return null;
  return anchor.startsWith("subject-") ? `/docs/${area.slug}` : `/docs/${area.slug}#${anchor}`;
}
