/** Properties of every match of a pattern, derived without running it. */
export type PatternShape = {
  /** The minimum number of literal characters in a match, a measure of specificity. `^gpt-4o$` has 6, `^gpt-.*` 4, `.*` 0. */
  fewestLiterals: number;
  /** Every match begins with one of these, in lower case; an empty one does not constrain it. */
  heads: readonly string[];
  /** Whether every match starts at the beginning of the subject. */
  anchored: boolean;
};

/** The contribution of one part of a pattern. While `exact`, the part matches its `heads` and nothing else. */
type Part = { fewest: number; heads: string[]; exact: boolean };

const EMPTY: Part = { fewest: 0, heads: [""], exact: true };
const ANYTHING: Part = { fewest: 0, heads: [""], exact: false };

/** Limits on alternatives and on characters of each; beyond them the shape only becomes less precise. */
const HEADS_MAX = 64;
export const HEAD_LENGTH_MAX = 24;

/**
 * Derives the shape from the source of a pattern that RE2 has compiled (for anything else the result is meaningless, but
 * still computed in linear time). Conservative in doubt: a shape may only rule out runs that cannot match.
 */
export function patternShape(source: string): PatternShape {
  const reader: Reader = { source, at: 0, multiline: false };
  let branch = topBranch(reader);
  let { part, anchored } = branch;
  while (reader.source[reader.at] === "|") {
    reader.at++;
    branch = topBranch(reader);
    anchored &&= branch.anchored;
    part = either(part, branch.part);
  }
  const heads = part.heads.map((head) => head.slice(0, HEAD_LENGTH_MAX));
  return { fewestLiterals: part.fewest, heads: [...new Set(heads)], anchored: anchored && !reader.multiline };
}

type Reader = { source: string; at: number; multiline: boolean };

const either = (a: Part, b: Part): Part => ({
  fewest: Math.min(a.fewest, b.fewest),
  heads: a.heads.length + b.heads.length > HEADS_MAX ? [""] : [...a.heads, ...b.heads],
  exact: a.exact && b.exact && a.heads.length + b.heads.length <= HEADS_MAX,
});

function after(a: Part, b: Part): Part {
  const fewest = a.fewest + b.fewest;
  if (!a.exact) return { ...a, fewest };
  if (a.heads.length * b.heads.length > HEADS_MAX) return { fewest, heads: a.heads, exact: false };
  return { fewest, heads: a.heads.flatMap((head) => b.heads.map((next) => head + next)), exact: b.exact };
}

/** Parses a top-level branch; `^` is its anchor when only flags such as `(?i)` precede it. */
function topBranch(reader: Reader): { part: Part; anchored: boolean } {
  skipFlags(reader);
  const anchored = /^\^(?!(?:\(\?[a-zA-Z-]+\))*[*?{])/.test(reader.source.slice(reader.at, reader.at + 100));
  return { part: sequence(reader), anchored };
}

function alternation(reader: Reader): Part {
  let part = sequence(reader);
  while (reader.source[reader.at] === "|") {
    reader.at++;
    part = either(part, sequence(reader));
  }
  return part;
}

function sequence(reader: Reader): Part {
  let whole = EMPTY;
  skipFlags(reader);
  while (reader.at < reader.source.length && !"|)".includes(reader.source[reader.at]!)) {
    whole = after(whole, repeated(reader, atom(reader)));
  }
  return whole;
}

function atom(reader: Reader): Part {
  const char = takeCodePoint(reader);
  if (char === "(") return group(reader);
  if (char === "[") return skipClass(reader);
  if (char === "\\") return escaped(reader);
  if (char === "^" || char === "$") return EMPTY;
  return char === "." ? ANYTHING : literal(char);
}

function takeCodePoint(reader: Reader): string {
  const char = String.fromCodePoint(reader.source.codePointAt(reader.at)!);
  reader.at += char.length;
  return char;
}

/** Outside ASCII, toLowerCase and RE2's case folding differ, so such a character is only counted. */
const literal = (char: string): Part =>
  char < "\u0080" ? { fewest: 1, heads: [char.toLowerCase()], exact: true } : { ...ANYTHING, fewest: 1 };

/** Skips flags such as `(?i)`, which have no content: a quantifier after them applies to what precedes them. */
function skipFlags(reader: Reader) {
  const flags = /^(?:\(\?[a-zA-Z-]+\))*/.exec(reader.source.slice(reader.at))![0];
  if (flags.includes("m")) reader.multiline = true;
  reader.at += flags.length;
}

function group(reader: Reader): Part {
  const start = /^\?(?:P?<\w+>|([a-zA-Z-]*):)/.exec(reader.source.slice(reader.at, reader.at + 100));
  if (start) reader.at += start[0].length;
  if (start?.[1]?.includes("m")) reader.multiline = true;
  const inside = alternation(reader);
  reader.at++; // the closing parenthesis
  return inside;
}

function skipClass(reader: Reader): Part {
  if (reader.source[reader.at] === "^") reader.at++;
  if (reader.source[reader.at] === "]") reader.at++; // a leading bracket is literal
  while (reader.at < reader.source.length && reader.source[reader.at] !== "]") {
    const named = /^\[:\^?\w+:\]/.exec(reader.source.slice(reader.at, reader.at + 20));
    reader.at += named ? named[0].length : reader.source[reader.at] === "\\" ? 2 : 1;
  }
  reader.at++;
  return ANYTHING;
}

/** Escapes of more than one character, after the backslash. */
const LONG_ESCAPE = /^(?:[pP](?:\{[^}]*\}|.)|x(?:\{[0-9a-fA-F]*\}|[0-9a-fA-F]{2})|[0-7]{1,3})/;

function escaped(reader: Reader): Part {
  if (reader.source[reader.at] === "Q") return quoted(reader);
  const long = LONG_ESCAPE.exec(reader.source.slice(reader.at, reader.at + 100));
  if (long) {
    reader.at += long[0].length;
    return ANYTHING;
  }
  const char = takeCodePoint(reader);
  if ("AbBz".includes(char)) return EMPTY;
  return /[a-zA-Z0-9]/.test(char) ? ANYTHING : literal(char);
}

/** `\Q…\E`: everything between is literal. A quantifier after it applies to the last character only. */
function quoted(reader: Reader): Part {
  const end = reader.source.indexOf("\\E", reader.at);
  const text = reader.source.slice(reader.at + 1, end < 0 ? undefined : end);
  reader.at = end < 0 ? reader.source.length : end + 2;
  return { ...ANYTHING, fewest: Math.max(0, text.length - 1) };
}

function repeated(reader: Reader, part: Part): Part {
  skipFlags(reader);
  const quantifier = /^(?:[*+?]|\{(\d+)(?:,\d*)?\})\??/.exec(reader.source.slice(reader.at, reader.at + 20));
  if (!quantifier) return part;
  reader.at += quantifier[0].length;
  return repeated(reader, times(part, quantifier[0][0]!, Number(quantifier[1] ?? 0)));
}

function times(part: Part, sign: string, least: number): Part {
  if (sign === "?") return either(EMPTY, part);
  const fewest = sign === "+" ? 1 : least;
  return fewest === 0 ? ANYTHING : { fewest: part.fewest * fewest, heads: part.heads, exact: false };
}
