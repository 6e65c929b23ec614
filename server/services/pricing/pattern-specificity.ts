/**
 * How specific a pattern is: the fewest literal characters that any match of it contains. `^gpt-4o-mini$` is 11, `^gpt-.*`
 * is 4, `.*` is 0, and an alternation counts as its shortest branch. Meant for sources that RE2 has compiled already:
 * on anything else the number is meaningless, but it comes in linear time.
 */
export function patternSpecificity(source: string): number {
  return alternation({ source, at: 0 });
}

type Reader = { source: string; at: number };

function alternation(reader: Reader): number {
  let fewest = sequence(reader);
  while (reader.source[reader.at] === "|") {
    reader.at++;
    fewest = Math.min(fewest, sequence(reader));
  }
  return fewest;
}

function sequence(reader: Reader): number {
  let literals = 0;
  while (reader.at < reader.source.length && !"|)".includes(reader.source[reader.at]!)) {
    const one = atom(reader);
    literals += one * fewestRepeats(reader);
  }
  return literals;
}

/** The literal characters of one atom: 1 for a character, a group's own count, 0 for classes and anchors. */
function atom(reader: Reader): number {
  const char = reader.source[reader.at++]!;
  if (char === "(") return group(reader);
  if (char === "[") return skipClass(reader);
  if (char === "\\") return escaped(reader);
  return "^$.".includes(char) ? 0 : 1;
}

function group(reader: Reader): number {
  const flags = /^\?(?:P?<\w+>|[a-zA-Z-]*([:)]))/.exec(reader.source.slice(reader.at, reader.at + 100));
  if (flags) reader.at += flags[0].length;
  if (flags?.[1] === ")") return 0; // `(?i)` sets flags and has no content
  const inside = alternation(reader);
  reader.at++; // the closing parenthesis
  return inside;
}

function skipClass(reader: Reader): 0 {
  if (reader.source[reader.at] === "^") reader.at++;
  if (reader.source[reader.at] === "]") reader.at++; // a bracket in first place stands for itself
  while (reader.at < reader.source.length && reader.source[reader.at] !== "]") {
    const named = /^\[:\^?\w+:\]/.exec(reader.source.slice(reader.at, reader.at + 20));
    reader.at += named ? named[0].length : reader.source[reader.at] === "\\" ? 2 : 1;
  }
  reader.at++;
  return 0;
}

function escaped(reader: Reader): number {
  const char = reader.source[reader.at++] ?? "";
  if (char === "p" || char === "P") {
    const name = /^(?:\{[^}]*\}|.)/.exec(reader.source.slice(reader.at, reader.at + 100));
    reader.at += name?.[0].length ?? 0;
  }
  return /[a-zA-Z0-9]/.test(char) ? 0 : 1;
}

function fewestRepeats(reader: Reader): number {
  const quantifier = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(reader.source.slice(reader.at, reader.at + 20));
  if (!quantifier) return 1;
  reader.at += quantifier[0].length;
  if (quantifier[1] !== undefined) return Number(quantifier[1]);
  return quantifier[0][0] === "+" ? 1 : 0;
}
