import type { RE2JSSyntaxException } from "re2js";

/** What people bring from other engines, and RE2 leaves out so that it stays linear. By the text at the fault. */
const NOT_IN_RE2: readonly [RegExp, string][] = [
  [/^\(\?<?[=!]/, "RE2 has no lookaround: (?=…), (?!…), (?<=…) and (?<!…) cannot be used"],
  [/^\\(?:[1-9]|k)/, "RE2 has no backreferences such as \\1 or \\k<name>"],
  [/^\(\?>/, "RE2 has no atomic groups (?>…)"],
  [/^[*+?}]\+/, "RE2 has no possessive quantifiers such as *+"],
  [/^\(\?(?:P=|\(|R|\d|&)/, "RE2 has no references to groups, conditions or recursion"],
];

/** Where the fault is, counted in characters from 1; the engine names the text at fault, not its place. */
function positionOf(fragment: string | null | undefined, source: string) {
  if (!fragment) return source.length;
  const at = fragment === source ? unclosed(source) : source.indexOf(fragment);
  return at < 0 ? source.length : at + 1;
}

/** The first bracket that nothing closes, when that is what is wrong with the whole. */
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

/** Why RE2 does not take a pattern, in a sentence that says where: "At character 3: …". */
export function explainFault(source: string, fault: RE2JSSyntaxException): string {
  const { error, input: told } = fault as unknown as { error: string; input?: string | null };
  // The flag of the whole is part of what the engine reads.
  const input = told === `(?i)${source}` ? source : told;
  const position = positionOf(input, source);
  const rest = source.slice(position - 1);
  const known = NOT_IN_RE2.find(([start]) => start.test(rest) || (input && start.test(input)))?.[1];
  return `At character ${position}: ${known ?? (input && input !== source ? `${error}: ${input}` : error)}.`;
}
