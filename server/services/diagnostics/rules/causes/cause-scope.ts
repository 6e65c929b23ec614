import { excerpt } from "@/server/platform/excerpt";

/** The Signals that may describe one failed step of the application from several sides, with their Rules. */
const FAILED_STEP: Readonly<Record<string, readonly string[]>> = {
  "tool-failure": ["tool_error", "invalid_tool_arguments", "unknown_tool", "tool_timeout", "tool_error_ignored"],
  "agent-loop": ["repeated_tool_call", "restarted_work"],
  "task-failure": ["unresolved_request", "ended_by_limit", "premature_claim"],
  "broken-response": ["empty_response"],
};
const STEP = "failed step";
const SHARED: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.values(FAILED_STEP).flatMap((signals) => signals.map((one) => [one, STEP]))),
  refusal: "refusal",
  over_refusal: "refusal",
  explicit_correction: "correction",
  accepted_correction: "correction",
  ignored_correction: "correction",
  frustration: "frustration",
  abandonment: "frustration",
};

/** The Signals that describe a failed step only where their cause is a tool's, "tool: message". */
const OF_A_TOOL: ReadonlySet<string> = new Set(["repeated_message"]);

/**
 * Returns the scope in which similar causes share a Finding: one Signal of one Rule, except where several Signals describe the
 * same failure. A tool's error, its repetition and the end of the conversation on it are one Finding.
 */
export function causeScope({ ruleId, signal, cause }: { ruleId: string; signal: string; cause: string }) {
  const shared = SHARED[signal] ?? (OF_A_TOOL.has(signal) && cause.includes(": ") ? STEP : undefined);
  return shared === undefined ? [ruleId, signal] : [shared];
}

/** Returns whether the causes of a scope are those of a step that failed. */
export const isFailedStep = (scope: readonly string[]) => scope[0] === STEP;

/** Returns the Rules whose Findings may be the same as this one's, itself included. */
export const rulesSharingFindings = (ruleId: string): readonly string[] =>
  ruleId in FAILED_STEP ? Object.keys(FAILED_STEP) : [ruleId];

/** Findings of one subject, such as a tool. What is unlike all of them is gathered in one more. */
export const FINDINGS_PER_SUBJECT = 30;

/** Characters of a subject in a title. */
const SUBJECT_SHOWN = 40;

/** Returns the title of a Finding for causes beyond the limit: of one subject, such as a tool, or of any. */
export function gatheringTitle(signal: string, subject: string | null): string {
  const of = subject ? `\`${excerpt(subject, SUBJECT_SHOWN)}\`` : null;
  if (SHARED[signal] === STEP) return `${of ?? "The application"} fails in many more ways`;
  return `Many more kinds of ${signal.replaceAll("_", " ")}${of ? ` with ${of}` : ""}`;
}
