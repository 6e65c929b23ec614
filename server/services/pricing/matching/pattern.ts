import { RE2JS, RE2JSException, RE2JSSyntaxException, RE2Set } from "re2js";
import { explainFault } from "./explain-fault";
import { GenerationalCache } from "./generational-cache";

/**
 * Limits that keep running any pattern on any subject within a few milliseconds. RE2's time is proportional to the length
 * of the subject × the size of the program, so both are bounded.
 */
export const SUBJECT_MAX = 150;
const PROGRAM_MAX = 250;
export const PATTERN_MAX = 1000;
/** Limit on the sum of `{n}` and `{n,m}`: beyond it programs take too long even to compile. */
const REPEATS_MAX = 100;

/** Memory of one pattern's automaton; beyond it the engine continues without one, still in linear time. */
const AUTOMATON_BYTES = 1 << 16;

/** Tests whether a subject contains a match. A subject longer than `SUBJECT_MAX` never does. */
export type Pattern = { test(subject: string): boolean };
type Refused = { error: string };

/** Shared between price books: after a change most patterns are the same, and compiling is expensive. */
const compiled = new GenerationalCache<Pattern | Refused>(1_000);

/**
 * Compiles a user-supplied pattern with a non-backtracking engine (RE2 syntax: no lookaround, no backreferences), ignoring
 * case. Returns the reason when the pattern is unusable, for display next to a form field.
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
    // A set of one uses the automaton, which is several times faster on new subjects than the engine's other matchers.
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
