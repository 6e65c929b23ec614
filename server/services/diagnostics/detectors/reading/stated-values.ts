/** A statement of a value in a reply: "Status: delivered", "the total is $12.50". Offsets are of the value. */
export type StatedValue = { label: string; value: string; start: number; end: number };

/** "Label: value" at the start of a line, in a list or a table row. */
const LABELLED =
  /(?:^|\n)[ \t]{0,8}(?:[-*•|–]{1,2} ?)?\*{0,2}([A-Za-z][A-Za-z _-]{1,30}?)\*{0,2} ?[:：|] ?\*{0,2} ?([^\n|*]{1,60})/g;
/** "the label is value" in a sentence. */
const SPOKEN =
  /\b(?:the|your|its|their|current) ([a-z][a-z _-]{1,30}?) (?:is|was|are)(?: currently)? \*{0,2}([#$€£]?[\w][^\n.;!?*]{0,40}(?:\.\d{1,4})?)/gi;
/** Maximum number of statements read from a reply. */
const STATEMENTS = 24;

/** Returns the values that a reply states by name, in order. */
export function statedValues(prose: string): StatedValue[] {
  const stated: StatedValue[] = [];
  const add = (pattern: RegExp) => {
    pattern.lastIndex = 0;
    for (let found = pattern.exec(prose); found && stated.length < STATEMENTS; found = pattern.exec(prose)) {
      const value = found[2]!.trim();
      const start = found.index + found[0].length - found[2]!.length;
      stated.push({ label: keyOf(found[1]!), value, start, end: start + value.length });
    }
  };
  if (prose.includes(":") || prose.includes("|") || prose.includes("：")) add(LABELLED);
  if (/ (?:is|was|are) /.test(prose)) add(SPOKEN);
  return stated;
}

const keys = new Map<string, string>();
/** A project's tools have few different fields; the cache is cleared when it is full. */
const KEYS_MAX = 5000;

/** Converts a label to a JSON key in snake case. */
export function keyOf(label: string): string {
  let key = keys.get(label);
  if (key === undefined) {
    if (keys.size >= KEYS_MAX) keys.clear();
    key = label
      .trim()
      .replace(/([a-z])([A-Z])/g, "$1_$2")
      .toLowerCase()
      .replace(/[ _-]+/g, "_");
    keys.set(label, key);
  }
  return key;
}
