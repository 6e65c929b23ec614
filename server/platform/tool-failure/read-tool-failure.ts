import { excerpt } from "@/server/platform/excerpt";
import { parseJson } from "@/server/platform/json/json-text";
import { FAILURE_MATCH_SCORE, MESSAGE_LIMIT, SCORE, type ToolFailureText } from "./failure-text";
import { readTextFailure, spanning } from "./read-text-failure";

/** Returns the failure that a tool's result reports, or `null`. Linear in the length of the result. */
export function readToolFailure(result: string): ToolFailureText | null {
  if (result.trim() === "") return null;
  return isStructured(result) ? readJsonFailure(result) : readTextFailure(result);
}

/** Returns whether a tool's result reports a failure with the confidence that a Finding needs. */
export const reportsFailure = (result: string): boolean => (readToolFailure(result)?.score ?? 0) >= FAILURE_MATCH_SCORE;

const ERROR_KEYS = ["error", "errors", "Error", "exception", "error_message", "errorMessage"] as const;
/** Fields that carry the message, most specific first. */
const MESSAGE_KEYS = [
  "message",
  "error_message",
  "errorMessage",
  "detail",
  "details",
  "reason",
  "description",
  "title",
  "stderr",
  "msg",
  "error",
  "code",
] as const;
const TEXT_KEYS = ["result", "output", "content", "text", "message", "detail", "observation", "response"] as const;
const FAILED_STATUS = /^(?:error|failed|failure|fail|exception|timeout|timed_out)$/i;
const JSON_DEPTH = 2;
/** A record with more keys than this and a failed `status` is data about something that failed, not a failed call. */
const REPLY_KEYS = 4;
/** Characters. Longer JSON is parsed only if one of its keys could report a failure: most results are plain records. */
const SHORT_JSON = 300;
const TELLING_KEY =
  /"(?:is_?error|error|errors|exception|error_?message|success|succeeded|ok|status|status_?code|code|http_status|exit_?code|return_?code|type|result|output|content|text|message|detail|observation|response)"\s{0,4}:/i;
/** Larger JSON is not parsed; its beginning still shows whether it declares an error. */
const DECLARED_AT_START =
  /^\s{0,20}\{\s{0,20}["'](?:error|errors|is_?error)["']\s{0,5}:\s{0,5}(?!null\b|None\b|false\b|False\b|""|''|\[\]|\{\}|0\b)/i;

/** Text that can only be meant as JSON, or as the dict or list of a Python program. "[ERROR] …" is not. */
const STRUCTURED = /^\s{0,200}(?:\{\s{0,200}["'}]|\[\s{0,200}[{[\]"'\d]|"[^"]{0,2000}"\s{0,200}$)/;

/** Returns whether a result is data, to be judged by its fields alone: its text may come from anywhere. */
const isStructured = (result: string): boolean => STRUCTURED.test(result);

/** Returns the failure that the fields of a structured result declare. */
function readJsonFailure(result: string): ToolFailureText | null {
  if (result.length > SHORT_JSON && (isPlainList(result) || !TELLING_KEY.test(result))) return declaredAtStart(result);
  const value = parseJson(result);
  return value === undefined ? declaredAtStart(result) : failureInValue(value, result, 0);
}

/** Whether a result is a list without MCP's wrapping, which is data whatever its records say. */
const isPlainList = (result: string) => LIST.test(result) && !result.includes('"text"');
const LIST = /^\s{0,200}\[/;

const declaredAtStart = (result: string) =>
  DECLARED_AT_START.test(result.slice(0, SHORT_JSON)) ? spanning(result, 0, SCORE.declared) : null;

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
  if (declared > 0)
    return located({ score: declared, ...whole(messageIn(record) ?? excerpt(result, MESSAGE_LIMIT)) }, result);
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

/** Returns the score of the failure that a reply's fields declare: 0 for none, "fine" for a declared success. */
function declaredScore(record: Record<string, unknown>): number | "fine" {
  const flag = record.isError ?? record.is_error;
  if (flag === true) return SCORE.declared;
  const error = ERROR_KEYS.map((key) => record[key]).find(hasContent);
  const status = record.statusCode ?? record.status_code ?? record.status ?? record.code ?? record.http_status;
  const exit = record.exit_code ?? record.exitCode ?? record.returncode ?? record.return_code;
  if (error !== undefined) return SCORE.declared;
  if (typeof exit === "number" && exit !== 0) return SCORE.exitCode;
  if (record.success === false || record.ok === false || record.succeeded === false) return SCORE.declared;
  if (record.type === "error") return SCORE.declared;
  if (flag === false || record.success === true || record.ok === true) return "fine";
  const few = Object.keys(record).length <= REPLY_KEYS;
  if (typeof status === "string" && FAILED_STATUS.test(status)) return few ? SCORE.opening : SCORE.mention;
  if (typeof status === "number" && Number.isInteger(status) && status >= 400 && status < 600)
    return few ? SCORE.http : SCORE.mention;
  return 0;
}

function hasContent(error: unknown): boolean {
  if (error === undefined || error === null || error === false || error === 0) return false;
  if (typeof error === "string")
    return error.trim() !== "" && !/^(?:none|null|no|false|0|n\/a|no errors?)\.?$/i.test(error.trim());
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
  return content === undefined
    ? null
    : messageIn(Array.isArray(content) ? (content[0]?.text ?? content[0]) : content, depth + 1);
}

/** Translates a range in a decoded string to its range in the JSON text. */
function located(failure: ToolFailureText | null, result: string): ToolFailureText | null {
  if (!failure) return null;
  const written = JSON.stringify(failure.message.slice(0, MESSAGE_LIMIT)).slice(1, -1);
  const start = result.indexOf(written);
  if (start >= 0) return { ...failure, start, end: start + written.length };
  return { ...failure, start: 0, end: Math.min(result.length, MESSAGE_LIMIT) };
}

const whole = (message: string) => ({ message: message.slice(0, MESSAGE_LIMIT), start: 0, end: message.length });
