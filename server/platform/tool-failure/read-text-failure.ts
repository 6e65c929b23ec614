import { FAILURE_MATCH_SCORE, MESSAGE_LIMIT, SCORE, type ToolFailureText } from "./failure-text";
import {
  ALL_WELL,
  ERROR_PAGE,
  ERROR_TAG,
  EXCEPTION_LINE,
  EXIT_CODE,
  FAILED_TO,
  OPENINGS,
  STATEMENTS,
  TRACEBACK,
  WRAPPER,
} from "./grammar";

/** Characters read at each end of a result. Tools report failure first or last. */
const HEAD = 600;
const TAIL = 400;
/** A result this short and this few lines is one statement; a longer one may be a document about errors. */
const STATEMENT_CHARACTERS = 300;
const STATEMENT_LINES = 3;
/** Runners print the exit code first or last; further in, it may be a document about exit codes. */
const EXIT_EDGE = 200;
/** Characters. A result that begins with "Failed to …" may explain the reason at this length. */
const FAILED_TO_LIMIT = 2000;

/** Returns the failure that plain text reports. */
export function readTextFailure(result: string): ToolFailureText | null {
  const head = result.slice(0, HEAD);
  const exit = EXIT_CODE.exec(result.slice(0, EXIT_EDGE)) ?? EXIT_CODE.exec(result.slice(-EXIT_EDGE));
  const code = exit ? Number(exit[1]) : null;
  if (code === 0) return null; // declared success, whatever it printed

  const raised = readTraceback(result);
  if (raised && raised.score >= FAILURE_MATCH_SCORE) return raised;
  if (code !== null) return spanning(result, offsetOfOutput(result), SCORE.exitCode);

  const start = WRAPPER.exec(head)?.[0].length ?? 0;
  if (start > 0 && ERROR_TAG.test(head.slice(0, start))) return spanning(result, start, SCORE.declared);
  const newline = head.indexOf("\n", start);
  const line = head.slice(start, newline < 0 ? undefined : newline);
  const opening = firstMatch(OPENINGS, line);
  if (opening) return spanning(result, start, opening.score);

  if (ERROR_PAGE.test(head.slice(start))) return spanning(result, start, SCORE.http);
  if (result.length <= FAILED_TO_LIMIT && FAILED_TO.test(line)) return spanning(result, start, SCORE.sentence);
  if (isStatement(result)) {
    const statement = result.slice(start);
    const said = ALL_WELL.test(statement) ? null : firstMatch(STATEMENTS, statement);
    if (said) return spanning(result, start, said.score);
  }
  return raised;
}

function firstMatch(patterns: readonly (readonly [RegExp, number])[], text: string): { score: number } | null {
  const found = patterns.find(([pattern]) => pattern.test(text));
  return found ? { score: found[1] } : null;
}

/** Lists, tables, records and documents have many lines or a title; a failed tool makes one statement. */
function isStatement(result: string): boolean {
  if (result.length > STATEMENT_CHARACTERS) return false;
  const lines = result.split("\n").filter((line) => line.trim() !== "");
  if (lines.length > STATEMENT_LINES) return false;
  const first = lines[0] ?? "";
  return !/^\s{0,8}(?:[-*#|>\d]|title\b|subject\b|\w{1,30}: \S{1,60}$)/i.test(first) || lines.length === 1;
}

/** Lines read after "Traceback" to find what was raised. */
const TRACEBACK_LINES = 400;

/** A traceback that opens or closes the result is the tool's own; one in the middle may be quoted by a document. */
function readTraceback(result: string): ToolFailureText | null {
  const first = result.indexOf(TRACEBACK); // a search from the end is several times slower, and mostly finds nothing
  if (first < 0) return null;
  const at = result.lastIndexOf(TRACEBACK);
  const opens = first < HEAD / 2;
  const line = lastExceptionLine(result, at);
  const closes = line !== null && line.end > result.length - TAIL;
  const start = line?.start ?? at;
  const end = line?.end ?? Math.min(result.length, at + MESSAGE_LIMIT);
  return { score: opens || closes ? SCORE.traceback : SCORE.outcome, message: result.slice(start, end), start, end };
}

function lastExceptionLine(result: string, from: number): { start: number; end: number } | null {
  let start = result.indexOf("\n", from) + 1;
  for (let count = 0; start > 0 && start < result.length && count < TRACEBACK_LINES; count++) {
    const newline = result.indexOf("\n", start);
    const end = newline < 0 ? result.length : newline;
    const line = result.slice(start, Math.min(end, start + MESSAGE_LIMIT)).trimEnd();
    if (EXCEPTION_LINE.test(line)) return { start, end: start + line.length };
    start = end + 1;
  }
  return null;
}

/** `Code output:` and the like separate the exit code from the program's output. */
function offsetOfOutput(result: string): number {
  const match = /\b(?:output|stderr)\s{0,2}:\s{0,40}/i.exec(result.slice(0, HEAD));
  const offset = match ? match.index + match[0].length : 0;
  return offset < result.trimEnd().length ? offset : 0;
}

/** Returns a reading whose message is the paragraph at `start`. */
export function spanning(result: string, start: number, score: number): ToolFailureText {
  const limit = Math.min(result.length, start + MESSAGE_LIMIT);
  const text = result.slice(start, limit);
  const lead = text.length - text.trimStart().length;
  const from = start + lead;
  const newline = result.indexOf("\n", from);
  // "Error:" alone on a line is a heading; what happened is on the next.
  const heading = newline >= 0 && newline - from < 12;
  const end = newline < 0 || heading || isDetailed(result, from, newline) ? limit : Math.min(newline, limit);
  return { score, message: result.slice(from, end), start: from, end: Math.max(from, end) };
}

/** A pydantic report names the field on the lines after the first. */
const isDetailed = (result: string, from: number, newline: number) =>
  /\bvalidation errors?\b/i.test(result.slice(from, newline));
