import { RE2JS, RE2JSException, RE2JSSyntaxException, RE2Set } from "re2js";
import { explainFault } from "./explain-fault";
import { GenerationalCache } from "./generational-cache";

/**
 * Limits that keep one pattern on one subject within a few milliseconds, whoever wrote it. RE2 takes time in proportion
 * to (length of the subject × size of the program), so both have an end.
 */
export const SUBJECT_MAX = 150;
const PROGRAM_MAX = 250;
export const PATTERN_MAX = 1000;
/** What `{n}` and `{n,m}` may ask for in sum: more makes programs too large even to compile in good time. */
const REPEATS_MAX = 100;

/** Memory that one pattern's automaton may use; above it the engine goes on without, in linear time still. */
const AUTOMATON_BYTES = 1 << 16;

/** Tells whether a subject contains a match. One longer than `SUBJECT_MAX` never does. */
export type Pattern = { test(subject: string): boolean };
type Refused = { error: string };

/** A changed definition makes a new book out of mostly the same patterns, and compiling is the dear part. */
const compiled = new GenerationalCache<Pattern | Refused>(1_000);

/**
 * A pattern of a project, compiled by an engine without backtracking (RE2's dialect: no lookaround, no backreference),
 * case ignored. Returns the reason in words when it cannot be used: a form shows it beside the field.
 */
export function compilePattern(source: string): Pattern | Refused {
  if (source.length > PATTERN_MAX) return { error: `The pattern is longer than ${PATTERN_MAX} characters.` };
  const known = compiled.get(source);
  if (known) return known;
  const pattern = compile(source);
  compiled.set(source, pattern);
  return pattern;
}

export const isPattern = (pattern: Pattern | Refused): pattern is Pattern => "test" in pattern;

const TOO_COMPLEX: Refused = { error: "The pattern is too complex: repeat less, or split it." };

function compile(source: string): Pattern | Refused {
  if (repeats(source) > REPEATS_MAX) return TOO_COMPLEX;
  try {
    // A set of one runs on the automaton, on new subjects several times faster than the engine's other ways.
    const set = new RE2Set(RE2Set.UNANCHORED, RE2JS.CASE_INSENSITIVE, AUTOMATON_BYTES);
    set.add(source);
    set.compile();
    if (set.prog.numInst() > PROGRAM_MAX) return TOO_COMPLEX;
    return { test: (subject) => subject.length <= SUBJECT_MAX && set.match(subject).length > 0 };
  } catch (error) {
    if (error instanceof RE2JSSyntaxException) return { error: explainFault(source, error) };
    if (error instanceof RE2JSException) return { error: error.message };
    throw error;
  }
}

function repeats(source: string) {
  let sum = 0;
  for (const [, least, most] of source.matchAll(/\{(\d{1,9})(?:,(\d{0,9}))?\}/g)) sum += Number(most || least);
  return sum;
}
