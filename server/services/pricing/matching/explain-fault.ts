import type { RE2JSSyntaxException } from "re2js";

/** Features of other engines that RE2 omits to stay linear, by the text at the fault. */
const NOT_IN_RE2: readonly [RegExp, string][] = [
  [/^\(\?<?[=!]/, "RE2 has no lookaround: (?=…), (?!…), (?<=…) and (?<!…) cannot be used"],
  [/^\\(?:[1-9]|k)/, "RE2 has no backreferences such as \\1 or \\k<name>"],
  [/^\(\?>/, "RE2 has no atomic groups (?>…)"],
  [/^[*+?}]\+/, "RE2 has no possessive quantifiers such as *+"],
  [/^\(\?(?:P=|\(|R|\d|&)/, "RE2 has no references to groups, conditions or recursion"],
];

/** Returns the position of the fault in characters from 1. The engine reports the text at fault but not its position. */
function positionOf(fragment: string | null | undefined, source: string) {
  if (!fragment) return source.length;
  const at = fragment === source ? unclosed(source) : source.indexOf(fragment);
  return at < 0 ? source.length : at + 1;
}

/** Returns the index of the first unbalanced bracket, or 0. */
function unclosed(source: string) {
  const open: number[] = [];
  let inClass = false;
  for (let at = 0; at < source.length; at++) {
    const char = source[at];
    if (char === "\\") at++;
    else if (inClass) inClass = char !== "]";
    else if (char === "[") inClass = true;
    else if (char === "(") open.push(at);
    else if (char === ")" && open.pop() === undefined) return at;
  }
  return open[0] ?? 0;
}

/** Explains why RE2 rejects a pattern, with the position: "At character 3: …". */
export function explainFault(source: string, fault: RE2JSSyntaxException): string {
  const { error, input: fragment } = fault as unknown as { error: string; input?: string | null };
  // The engine prefixes the source with the flag.
  const input = fragment === `(?i)${source}` ? source : fragment;
  const position = positionOf(input, source);
  const rest = source.slice(position - 1);
  const known = NOT_IN_RE2.find(([start]) => start.test(rest) || (input && start.test(input)))?.[1];
  return `At character ${position}: ${known ?? (input && input !== source ? `${error}: ${input}` : error)}.`;
}
