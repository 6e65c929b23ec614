import { saysInvalidArguments, saysTimeout, saysUnknownTool } from "@/server/platform/tool-failure/kinds";
import { kindOfAnswer } from "../../detectors/reading/kind-of-answer";
import { FRUSTRATED } from "../../detectors/user-dissatisfaction/frustration";

/** How earlier releases told causes apart that are one now: by the words of users, answers and messages. */
const FORMER: Readonly<Record<string, (cause: string) => string>> = {
  tool_error: failure,
  invalid_tool_arguments: failure,
  tool_error_ignored: failure,
  repeated_tool_call: failure,
  unresolved_request: (cause) =>
    cause === "the last request got an empty reply"
      ? "the answer is empty"
      : failure(cause.replace(/: (?:error last|gave up): /, ": ")),
  ended_by_limit: (cause) => cause.replace(/: cut off in a loop$/, ": same call, same result"),
  restarted_work: (cause) => cause.replace(/^(\S+): done over$/, "$1: same call, same result"),
  rephrased_request: (cause) => (cause.startsWith("asks again: ") ? "asks again after the assistant answers" : cause),
  repeated_message: (cause) =>
    cause.startsWith("repeats itself and ") || cause.includes(": ")
      ? cause
      : `repeats itself and ${kindOfAnswer(cause)}`,
  leaked_template: beforeColon,
  abandonment: (cause) => (cause === "the user gives up after another failure" ? FRUSTRATED : cause),
  unfulfilled_promise: beforeColon,
  explicit_correction: beforeColon,
  negative_feedback: beforeColon,
  language_mismatch: (cause) => cause.replace(/^(?:asked for|spoke) .*, answered in /, "answers in "),
};

function failure(cause: string): string {
  const colon = cause.indexOf(": ");
  const [tool, message] = [cause.slice(0, colon), cause.slice(colon + 2)];
  if (colon < 0) return cause;
  if (saysUnknownTool(message)) return `${tool}: no such tool`;
  if (saysTimeout(message)) return `${tool}: timed out`;
  return saysInvalidArguments(message) ? `${tool}: invalid arguments` : cause;
}

function beforeColon(cause: string): string {
  const colon = cause.indexOf(": ");
  return colon < 0 ? cause : cause.slice(0, colon);
}

/** Returns a stored cause as the Signal reports it now. */
export const currentCause = (signal: string, cause: string): string => FORMER[signal]?.(cause) ?? cause;
