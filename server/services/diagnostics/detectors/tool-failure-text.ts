import { parseJson } from "./canonical-json";
import { excerpt } from "./text";

/** What a failed tool said. `[start, end)` is where, in the result it was read from. */
export type ToolFailureText = {
  /** 0..1: how surely this text is the report of a failure and not a document that speaks of one. */
  score: number;
  /** The sentence that says what went wrong, as the tool meant it (unescaped). */
  message: string;
  start: number;
  end: number;
};

/** At and above this, a reading is a `match`; below it, `ambiguous`. Measured on tau2, tau1, AgentDojo and AgentRx. */
export const FAILURE_MATCH_SCORE = 0.7;

const SCORE = {
  declared: 0.95,
  exitCode: 0.95,
  traceback: 0.95,
  exception: 0.97,
  prefix: 0.96,
  opening: 0.9,
  http: 0.9,
  sentence: 0.8,
  business: 0.7,
  outcome: 0.5,
  mention: 0.4,
} as const;

/** Characters at each end of a result that are read. A tool says that it failed first or last. */
const HEAD = 600;
const TAIL = 400;
const MESSAGE_LIMIT = 300;
/** A result this short and this few lines is one statement; a longer one may be a document about errors. */
const STATEMENT_CHARACTERS = 300;
const STATEMENT_LINES = 3;

const WRAPPER = /^(?:\s|```\w{0,12}|(?:code output|output|observation|result|stdout|stderr|response|tool result|tool output)\s{0,2}:|<(?:error|tool_use_error|stderr|output|result|tool_response)>){1,6}/i;
const ERROR_TAG = /<(?:error|tool_use_error)>/i;

const EXIT_CODE =
  /\b(?:exit(?:ed)?[ _-]?(?:with )?(?:unix )?(?:non-zero )?(?:exit )?(?:code|status)|return[ _]?code)\b["']?(?: was| is| of)?\s{0,2}[:=]?\s{0,2}(-?\d{1,10})/i;
const TRACEBACK = "Traceback (most recent call last)";
/** The line that ends a Python traceback: `module.SomeError: what happened`, at the left margin. */
const EXCEPTION_LINE = /^(?:[A-Za-z_][\w]{0,60}\.){0,8}[A-Z]\w{0,80}(?::[^\n]{0,300})?$/;

/** Openings that only a failed tool writes, whatever follows. Read on the first line. */
const OPENINGS: readonly (readonly [RegExp, number])[] = [
  [/^(?:uncaught |unhandled |caused by: |exception in thread "[^"\n]{1,60}" )?(?:[\w$]{1,60}\.){0,8}[A-Z][\w$]{0,60}(?:Error|Exception|Fault|Timeout|Failure)(?:\([^)\n]{0,80}\)|\[[^\]\n]{0,40}\])?\s?(?:[:!(]|-\s|$)/, SCORE.exception],
  [/^\W{0,4}(?:[\w.-]{1,40} )?error\s?(?:\[[^\]\n]{0,40}\]|\([^)\n]{0,40}\))?\s?:(?!\s{0,3}(?:0|none|null|no|false|n\/a)\W{0,3}$)/i, SCORE.prefix],
  [/^\W{0,4}(?:an? )?(?:unexpected |internal |fatal |runtime |unknown |server |api |tool |system |critical |unhandled )?(?:error|exception)\b\s?(?:!|\(|code\b|occurred|was |while|when|executing|calling|running|invoking|processing|parsing|fetching|reading|loading|opening|accessing|retrieving|getting|sending|creating|updating|during|in tool|from |- )/i, SCORE.opening],
  [/^\W{0,4}(?:fatal|panic|err|failure|exception|critical)\s?:/i, SCORE.opening],
  [/^(?:npm ERR!|thread '[^'\n]{1,60}' panicked|Segmentation fault|\[(?:error|fatal)\])/i, SCORE.opening],
  [/^(?:❌|✗|🚫|⛔)/u, SCORE.sentence],
  [/^(?:HTTP(?:\/\d(?:\.\d)?)?\s?)?(?:(?:error|status(?: code)?)\s?:?\s?)?[45]\d\d\s?[:-]?\s?(?:client error|server error|bad request|unauthorized|payment required|forbidden|not found|method not allowed|not acceptable|request time-?out|conflict|gone|too many requests|unprocessable|internal server error|not implemented|bad gateway|service unavailable|gateway time-?out)/i, SCORE.http],
  [/^[^\n]{0,80}\b(?:HTTP|status(?: code)?|error code)\b[ :=]{1,3}(?:error[ :=]{1,3})?[45]\d\d\b/i, SCORE.http],
  [/^(?:[\w./-]{1,60}: ){1,3}(?:line \d{1,6}: )?[^\n]{0,160}(?:command not found|no such file or directory|permission denied|not a directory|cannot access|is a directory|syntax error|unrecognized option|invalid option|connection refused|operation not permitted|could not resolve host)/i, SCORE.opening],
];

/** Sentences of failure, read only where the whole result is one statement. */
const STATEMENTS: readonly (readonly [RegExp, number])[] = [
  [/^\W{0,4}(?:sorry,? |i'm sorry,? )?(?:(?:i|we|the (?:tool|server|system|request)) )?(?:failed|unable|could not|couldn[’']t|was not able|were not able|not able) (?:to )?\w/i, SCORE.sentence],
  [/\b(?:is |was |were |are |could )?not (?:be )?found\b(?! any)/i, SCORE.sentence],
  [/\b(?:does not|doesn[’']t|do not|don[’']t|did not) exist\b|\bno such \w/i, SCORE.sentence],
  [/\b(?:permission|access|authorization) (?:was |is )?denied\b|\bunauthori[sz]ed\b|\bnot authori[sz]ed\b|\bforbidden\b|\bauthentication (?:failed|required|error)\b|\binvalid (?:api[ _-]?key|credentials|token|password)\b|\bnot (?:permitted|allowed)\b/i, SCORE.sentence],
  [/\btimed[ -]?out\b|\btime-?out (?:after|exceeded|reached|error|while|expired|of)\b|\bdeadline exceeded\b|\bE(?:TIMEDOUT|CONNREFUSED|CONNRESET|NOENT|ACCES|NOTFOUND|PERM|EXIST|PIPE|HOSTUNREACH)\b/, SCORE.sentence],
  [/\brate[ -]?limit(?:ed| exceeded| reached)|\btoo many requests\b|\bquota (?:exceeded|exhausted)\b/i, SCORE.sentence],
  [/\bconnection (?:was )?(?:refused|reset|aborted|closed|error|failed|lost)\b|\bnetwork (?:error|is unreachable|unreachable)\b|\bservice (?:is )?(?:temporarily )?unavailable\b/i, SCORE.sentence],
  [/\bvalidation (?:error|failed|failure)\b|\b(?:missing|required) (?:\d{1,3} )?(?:required )?(?:positional )?(?:parameters?|arguments?|fields?|propert(?:y|ies)|keys?)\b|\bunexpected keyword\b|\b(?:is|are) (?:a )?required\b|\bmalformed\b/i, SCORE.sentence],
  [/\binvalid (?:\w{1,30} ){0,2}?(?:arguments?|parameters?|inputs?|values?|types?|formats?|json|requests?|dates?|ids?|identifiers?|names?|syntax|quer(?:y|ies)|tools?|functions?|actions?|commands?|selectors?|urls?|paths?|index|option)\b|\binvalid (?:\w{1,30})\s?:/i, SCORE.sentence],
  [/\b(?:unknown|unsupported|unrecogni[sz]ed|undefined) (?:\w{1,30} )?(?:tool|function|command|action|language|option|method|operation|type|parameter|argument|format)\b|\bis not (?:defined|a (?:valid|known|recogni[sz]ed))\b/i, SCORE.sentence],
  [/\bsyntax error\b|\b(?:error|exception) (?:occurred|happened|was raised|was thrown)\b|\bout of (?:memory|bounds|range)\b/i, SCORE.sentence],
  [/\b(?:insufficient|not enough)\b|\bexceeds (?:the )?(?:maximum|limit|available|allowed)\b|\balready exists\b|\bmust be (?:an? |one |at |in |between |greater |less |positive |non)/i, SCORE.business],
  [/\b(?:failed|aborted|rejected|declined|unsuccessful)\b/i, SCORE.outcome],
  [/\b(?:cannot|can[’']t|unable to|could not|couldn[’']t)\b/i, SCORE.mention],
];
/** "0 errors", "no problems found": a report that all is well. */
const ALL_WELL = /\b(?:no|0|zero|without(?: any)?) (?:\w{1,20} )?(?:errors?|exceptions?|failures?|issues?|problems?|conflicts?|warnings?)\b|\bsuccess(?:ful|fully)?\b/i;

/** What a tool's result says went wrong, or `null` where it does not say so. Linear in the length of the result. */
export function readToolFailure(result: string): ToolFailureText | null {
  if (result.trim() === "") return null;
  return readJsonFailure(result) ?? readTextFailure(result);
}

// --- JSON ---------------------------------------------------------------------------------------------------------

const MESSAGE_KEYS = ["message", "error_message", "errorMessage", "detail", "details", "reason", "description", "title", "stderr", "msg", "error", "code"] as const;
const TEXT_KEYS = ["result", "output", "content", "text", "message", "detail", "observation", "response"] as const;
const FAILED_STATUS = /^(?:error|failed|failure|fail|exception|timeout|timed_out)$/i;
const JSON_DEPTH = 2;
/** A record with more keys than this and a failed `status` is data about something that failed, not a failed call. */
const REPLY_KEYS = 4;
/** Characters. Longer JSON is parsed only where one of its keys could tell of a failure: most results are plain records. */
const SHORT_JSON = 300;
const TELLING_KEY =
  /"(?:is_?error|error|errors|error_?message|success|succeeded|ok|status|status_?code|code|http_status|exit_?code|return_?code|type|result|output|content|text|message|detail|observation|response)"\s{0,4}:/i;
/** Larger JSON is not parsed; its beginning still says whether an error was declared. */
const DECLARED_AT_START = /^\s{0,20}\{\s{0,20}["'](?:error|errors|is_?error)["']\s{0,5}:\s{0,5}(?!null\b|None\b|false\b|False\b|""|''|\[\]|\{\}|0\b)/i;

function readJsonFailure(result: string): ToolFailureText | null {
  if (result.length > SHORT_JSON && !TELLING_KEY.test(result)) return null;
  const value = parseJson(result);
  if (value !== undefined) return failureInValue(value, result, 0);
  if (!DECLARED_AT_START.test(result.slice(0, HEAD))) return null;
  return spanning(result, 0, SCORE.declared);
}

function failureInValue(value: unknown, result: string, depth: number): ToolFailureText | null {
  if (typeof value === "string") return located(readTextFailure(value), result);
  if (value === null || typeof value !== "object") return null;
  if (Array.isArray(value)) {
    // `[{type: "text", text}]` is how MCP wraps a result; any other list is data.
    const only = value.length === 1 ? (value[0] as { type?: unknown; text?: unknown } | null) : null;
    return only?.type === "text" && typeof only.text === "string" ? located(readToolFailure(only.text), result) : null;
  }
  const record = value as Record<string, unknown>;
  const declared = declaredScore(record);
  if (declared === "fine") return null;
  if (declared > 0) return located({ score: declared, ...whole(messageIn(record) ?? excerpt(result, MESSAGE_LIMIT)) }, result);
  if (depth >= JSON_DEPTH) return null;
  const keys = Object.keys(record);
  if (keys.length > REPLY_KEYS) return null;
  for (const key of TEXT_KEYS) {
    if (!(key in record)) continue;
    const failure = failureInValue(record[key], result, depth + 1);
    if (failure) return failure;
  }
  return null;
}

/** What the fields of a reply declare: 0 for nothing, "fine" where it says that the call went well. */
function declaredScore(record: Record<string, unknown>): number | "fine" {
  const flag = record.isError ?? record.is_error;
  if (flag === true) return SCORE.declared;
  const error = record.error ?? record.errors ?? record.Error ?? record.error_message ?? record.errorMessage;
  const status = record.statusCode ?? record.status_code ?? record.status ?? record.code ?? record.http_status;
  const exit = record.exit_code ?? record.exitCode ?? record.returncode ?? record.return_code;
  if (hasContent(error)) return SCORE.declared;
  if (typeof exit === "number" && exit !== 0) return SCORE.exitCode;
  if (record.success === false || record.ok === false || record.succeeded === false) return SCORE.declared;
  if (record.type === "error") return SCORE.declared;
  if (flag === false || record.success === true || record.ok === true) return "fine";
  const few = Object.keys(record).length <= REPLY_KEYS;
  if (typeof status === "string" && FAILED_STATUS.test(status)) return few ? SCORE.opening : SCORE.mention;
  if (typeof status === "number" && Number.isInteger(status) && status >= 400 && status < 600) return few ? SCORE.http : SCORE.mention;
  return 0;
}

function hasContent(error: unknown): boolean {
  if (error === undefined || error === null || error === false || error === 0) return false;
  if (typeof error === "string") return error.trim() !== "" && !/^(?:none|null|no|false|0|n\/a|no errors?)\.?$/i.test(error.trim());
  if (Array.isArray(error)) return error.length > 0;
  return typeof error === "object" ? Object.keys(error).length > 0 : true;
}

function messageIn(value: unknown, depth = 0): string | null {
  if (typeof value === "string") return value.trim() === "" ? null : value;
  if (depth > JSON_DEPTH || value === null || typeof value !== "object") return null;
  if (Array.isArray(value)) return messageIn(value[0], depth + 1);
  const record = value as Record<string, unknown>;
  const nested = typeof record.error === "object" ? messageIn(record.error, depth + 1) : null;
  if (nested) return nested;
  const keys = typeof record.error === "string" && / /.test(record.error) ? (["error"] as const) : MESSAGE_KEYS;
  for (const key of keys) {
    const found = messageIn(record[key], depth + 1);
    if (found) return found;
  }
  const content = record.content ?? record.result ?? record.errors;
  return content === undefined ? null : messageIn(Array.isArray(content) ? (content[0]?.text ?? content[0]) : content, depth + 1);
}

/** Moves a reading of a decoded string to where it stands in the JSON text. */
function located(failure: ToolFailureText | null, result: string): ToolFailureText | null {
  if (!failure) return null;
  const written = JSON.stringify(failure.message.slice(0, MESSAGE_LIMIT)).slice(1, -1);
  const start = result.indexOf(written);
  if (start >= 0) return { ...failure, start, end: start + written.length };
  return { ...failure, start: 0, end: Math.min(result.length, MESSAGE_LIMIT) };
}

const whole = (message: string) => ({ message: message.slice(0, MESSAGE_LIMIT), start: 0, end: message.length });

// --- Plain text ---------------------------------------------------------------------------------------------------

function readTextFailure(result: string): ToolFailureText | null {
  const head = result.slice(0, HEAD);
  const tail = result.slice(Math.max(HEAD, result.length - TAIL));
  const exit = EXIT_CODE.exec(head) ?? EXIT_CODE.exec(tail);
  const code = exit ? Number(exit[1]) : null;
  if (code === 0) return null; // the program says that it went well; what it printed is its own affair

  const raised = readTraceback(result);
  if (raised && raised.score >= FAILURE_MATCH_SCORE) return raised;
  if (code !== null) return spanning(result, offsetOfOutput(result), SCORE.exitCode);

  const start = WRAPPER.exec(head)?.[0].length ?? 0;
  if (start > 0 && ERROR_TAG.test(head.slice(0, start))) return spanning(result, start, SCORE.declared);
  const newline = head.indexOf("\n", start);
  const line = head.slice(start, newline < 0 ? undefined : newline);
  const opening = firstMatch(OPENINGS, line);
  if (opening) return spanning(result, start, opening.score);

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

/** Lists, tables, records and documents have many lines or a title; a tool that failed says one thing. */
function isStatement(result: string): boolean {
  if (result.length > STATEMENT_CHARACTERS) return false;
  const lines = result.split("\n").filter((line) => line.trim() !== "");
  if (lines.length > STATEMENT_LINES) return false;
  const first = lines[0] ?? "";
  return !/^\s{0,8}(?:[-*#|>\d]|title\b|subject\b|\w{1,30}: \S{1,60}$)/i.test(first) || lines.length === 1;
}

/** A traceback that opens or closes the result is the tool's own; one in the middle may be quoted by a document. */
function readTraceback(result: string): ToolFailureText | null {
  const at = result.lastIndexOf(TRACEBACK);
  if (at < 0) return null;
  const opens = result.indexOf(TRACEBACK) < HEAD / 2;
  const line = lastExceptionLine(result, at);
  const closes = line !== null && line.end > result.length - TAIL;
  const start = line?.start ?? at;
  const end = line?.end ?? Math.min(result.length, at + MESSAGE_LIMIT);
  return { score: opens || closes ? SCORE.traceback : SCORE.outcome, message: result.slice(start, end), start, end };
}

/** Lines read after "Traceback" to find what was raised. */
const TRACEBACK_LINES = 400;

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

/** `Code output:` and the like divide the exit code from what the program said. */
function offsetOfOutput(result: string): number {
  const match = /\b(?:output|stderr)\s{0,2}:\s{0,40}/i.exec(result.slice(0, HEAD));
  const offset = match ? match.index + match[0].length : 0;
  return offset < result.trimEnd().length ? offset : 0;
}

/** A reading whose message is the paragraph at `start`. */
function spanning(result: string, start: number, score: number): ToolFailureText {
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
const isDetailed = (result: string, from: number, newline: number) => /\bvalidation errors?\b/i.test(result.slice(from, newline));
