const ENTITIES: Record<string, string> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

/** Returns text with the characters escaped that mean something in HTML, in elements and in quoted attributes. */
export const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);

/** HTML in which every text is escaped. */
export class Html {
  constructor(readonly source: string) {}
}

type Value = Html | string | number | null | readonly Value[];

function sourceOf(value: Value): string {
  if (value === null) return "";
  if (value instanceof Html) return value.source;
  return typeof value === "object" ? value.map(sourceOf).join("") : escapeHtml(String(value));
}

/** Composes HTML of a template: every value but `Html` is escaped. */
export const html = (template: TemplateStringsArray, ...values: readonly Value[]) =>
  new Html(template.reduce((before, piece, at) => `${before}${sourceOf(values[at - 1] ?? null)}${piece}`));
