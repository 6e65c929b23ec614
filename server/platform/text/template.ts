/** A variable of a template. Other braces, such as those of JSON, are text. */
const VARIABLE = /\{\{\s*([A-Za-z_][A-Za-z0-9_]{0,59})\s*\}\}/g;

/** Returns the names of a template's variables, each once, in order of appearance. */
export const variablesOf = (texts: readonly string[]): string[] => [
  ...new Set(texts.flatMap((text) => [...text.matchAll(VARIABLE)].map(([, name]) => name as string))),
];

/** Returns the template with each variable replaced by its value as it is, in one pass: `{{name}}` in a value is text. */
export const fillTemplate = (text: string, values: Readonly<Record<string, string>>): string =>
  text.replaceAll(VARIABLE, (whole, name: string) => (Object.hasOwn(values, name) ? (values[name] as string) : whole));

/** Returns how many characters a filled template has, without filling it. */
export const filledLength = (text: string, values: Readonly<Record<string, string>>): number =>
  [...text.matchAll(VARIABLE)].reduce(
    (length, [whole, name]) =>
      length + (Object.hasOwn(values, name as string) ? (values[name as string] as string).length - whole.length : 0),
    text.length,
  );

/** Of a text, what a template must say itself to be recognised: one of little but variables would match anything. */
const OWN_SHARE = 0.5;

/** Whether a text may be the template filled with some values; blanks at both ends do not count. */
export function isFilledFrom(template: string, text: string): boolean {
  const given = text.trim();
  // Between the parts, splitting leaves the variables' names.
  const [first = "", ...others] = template
    .trim()
    .split(VARIABLE)
    .filter((_, at) => at % 2 === 0);
  const own = others.reduce((length, part) => length + part.length, first.length);
  if (!given.startsWith(first) || own < given.length * OWN_SHARE) return false;
  const last = others.pop();
  if (last === undefined) return given === first;
  let from = first.length;
  for (const part of others) {
    const at = given.indexOf(part, from);
    if (at === -1) return false;
    from = at + part.length;
  }
  return given.length - last.length >= from && given.endsWith(last);
}
