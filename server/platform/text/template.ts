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
