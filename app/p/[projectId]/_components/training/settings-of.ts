const wordsOf = (value: unknown): string =>
  value === null ? "—" : Array.isArray(value) ? value.map(String).join(", ") || "none" : String(value);

/** Keys about the request, not about the training. */
const LEFT_OUT = new Set(["metadata", "specVersion", "manifest"]);

const isGroup = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Returns a spec's settings as names such as `training.learningRate` and their values, sorted by name with groups last. */
export function settingsOf(spec: Record<string, unknown>, under = ""): [string, string][] {
  return Object.entries(spec)
    .toSorted(([a, left], [b, right]) => Number(isGroup(left)) - Number(isGroup(right)) || a.localeCompare(b))
    .flatMap(([name, value]): [string, string][] => {
      if (under === "" && LEFT_OUT.has(name)) return [];
      const path = under === "" ? name : `${under}.${name}`;
      return isGroup(value) ? settingsOf(value, path) : [[path, wordsOf(value)]];
    });
}

/** Returns the settings in which specs differ, each with its value in every spec; `null` where a spec has none. */
export function differencesOf(specs: readonly Record<string, unknown>[]): [string, (string | null)[]][] {
  const each = specs.map((spec) => new Map(settingsOf(spec)));
  const names = [...new Set(each.flatMap((settings) => [...settings.keys()]))];
  return names
    .map((name): [string, (string | null)[]] => [name, each.map((settings) => settings.get(name) ?? null)])
    .filter(([, values]) => new Set(values).size > 1);
}
