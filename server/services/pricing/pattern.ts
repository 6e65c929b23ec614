import { RE2JS, RE2JSException, RE2Set } from "re2js";

/** Limits that keep one pattern's work on one subject within a few milliseconds, whoever wrote the pattern. */
export const PATTERN_MAX = 1000;
/** RE2 matches in time (subject length × program size): both are bounded, not only the first. */
export const SUBJECT_MAX = 150;
export const PROGRAM_MAX = 250;

/** Memory that one pattern's automaton may use; above it the engine goes on without, in linear time still. */
const AUTOMATON_BYTES = 1 << 16;

/** Tells whether a subject contains a match. A subject longer than `SUBJECT_MAX` never does. */
export type Pattern = { source: string; test(subject: string): boolean };

/**
 * A pattern of a project, compiled by an engine without backtracking (RE2's dialect: no lookaround, no backreference),
 * case ignored. Returns the reason in words when it cannot be used: a form shows it beside the field.
 */
export function compilePattern(source: string): Pattern | { error: string } {
  if (source.length > PATTERN_MAX) return { error: `The pattern is longer than ${PATTERN_MAX} characters.` };
  try {
    const size = RE2JS.compile(source, RE2JS.CASE_INSENSITIVE).programSize();
    if (size > PROGRAM_MAX) return { error: "The pattern is too complex: repeat less, or split it." };
    // A set of one runs on the automaton, which on new subjects is several times faster than the engine's other ways.
    const set = new RE2Set(RE2Set.UNANCHORED, RE2JS.CASE_INSENSITIVE, AUTOMATON_BYTES);
    set.add(source);
    set.compile();
    return { source, test: (subject) => subject.length <= SUBJECT_MAX && set.match(subject).length > 0 };
  } catch (error) {
    if (error instanceof RE2JSException) return { error: error.message };
    throw error;
  }
}

export const isPattern = (compiled: Pattern | { error: string }): compiled is Pattern => "test" in compiled;
