/** One field of a change: its path, its old and its new value. */
export type FieldChange = {
  /** Dotted: `from.role`. */
  path: string;
  kind: "added" | "removed" | "changed" | "same";
  before: unknown;
  after: unknown;
};

type Fields = Record<string, unknown>;

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value) && Object.keys(value).length > 0;

function* leaves(fields: Fields, above = ""): Generator<[path: string, value: unknown]> {
  for (const [key, value] of Object.entries(fields)) {
    const path = `${above}${key}`;
    if (isFields(value)) yield* leaves(value, `${path}.`);
    else yield [path, value];
  }
}

const alike = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Returns the differences between a record before and after a change, field by field; unchanged fields come last. */
export function fieldChanges(before: Fields | null, after: Fields | null): FieldChange[] {
  const [was, is] = [new Map(leaves(before ?? {})), new Map(leaves(after ?? {}))];
  const paths = [...new Set([...was.keys(), ...is.keys()])];
  const changes = paths.map((path): FieldChange => {
    const values = { path, before: was.get(path), after: is.get(path) };
    if (!was.has(path)) return { ...values, kind: "added" };
    if (!is.has(path)) return { ...values, kind: "removed" };
    return { ...values, kind: alike(values.before, values.after) ? "same" : "changed" };
  });
  return [...changes.filter(({ kind }) => kind !== "same"), ...changes.filter(({ kind }) => kind === "same")];
}
