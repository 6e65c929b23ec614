import { CONVERSATION_ID, USER_ID } from "./identity";
import { LABELS } from "./labels";
import { DISPLAY_ONLY } from "./readers/display-only";
import { ERROR_MESSAGE, ERROR_TYPE, FAILED } from "./readers/error";
import { FINISH_REASONS } from "./readers/finish-reasons";
import { INPUT_MESSAGES, INPUTS, OUTPUT_MESSAGES, OUTPUTS, SYSTEM_MESSAGES } from "./readers/input-output";
import {
  REQUESTED_MODEL,
  REQUESTED_OR_RESPONSE_MODEL,
  RESPONSE_ID,
  RESPONSE_MODEL,
  RESPONSE_OR_REQUESTED_MODEL,
} from "./readers/model";
import { PROVIDER } from "./readers/provider";
import { REPORTED_COST } from "./readers/reported-cost";
import { resolveSpanType, SPAN_TYPE, SPAN_TYPE_EVIDENCE } from "./readers/span-type";
import { STREAM_US } from "./readers/stream";
import { TOOL_ARGUMENTS, TOOL_CALL_ID, TOOL_NAME, TOOL_RESULT } from "./readers/tool";
import { viewSpan } from "./readers/view-span";
import type { LogRecord, SpanReading, SpanRecord } from "./types";
import { otherFigureIn, USAGE_ATTRIBUTES } from "./usage/figures";
import { SERVICE_TIER_ATTRIBUTES } from "./usage/service-tier";

/** All tables of readers: attributes of a table that is not listed here are shown as unmapped. */
const TABLES: readonly (readonly { takes: readonly string[] }[])[] = [
  SPAN_TYPE,
  SPAN_TYPE_EVIDENCE,
  PROVIDER,
  REQUESTED_MODEL,
  RESPONSE_MODEL,
  RESPONSE_OR_REQUESTED_MODEL,
  REQUESTED_OR_RESPONSE_MODEL,
  RESPONSE_ID,
  INPUT_MESSAGES,
  OUTPUT_MESSAGES,
  INPUTS,
  OUTPUTS,
  SYSTEM_MESSAGES,
  FINISH_REASONS,
  REPORTED_COST,
  TOOL_NAME,
  TOOL_CALL_ID,
  TOOL_ARGUMENTS,
  TOOL_RESULT,
  CONVERSATION_ID,
  USER_ID,
  LABELS,
  FAILED,
  ERROR_TYPE,
  ERROR_MESSAGE,
  STREAM_US,
  [{ takes: USAGE_ATTRIBUTES }],
  [{ takes: SERVICE_TIER_ATTRIBUTES }],
  [{ takes: DISPLAY_ONLY }],
];

const TAKEN = TABLES.flat().flatMap((reader) => reader.takes);
const NAMES = new Set(TAKEN.filter((name) => !name.endsWith("*")));
const PREFIXES = TAKEN.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));

const [SHOWN_NAMES, SHOWN_PREFIXES] = [
  new Set(DISPLAY_ONLY.filter((name) => !name.endsWith("*"))),
  DISPLAY_ONLY.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1)),
];
const READ = TABLES.flat()
  .flatMap((reader) => reader.takes)
  .filter((name) => !DISPLAY_ONLY.includes(name));
const READ_NAMES = new Set(READ.filter((name) => !name.endsWith("*")));
const READ_PREFIXES = READ.filter((name) => name.endsWith("*")).map((name) => name.slice(0, -1));

/** Returns whether something is made from an attribute of this name. */
export const isTaken = (name: string): boolean =>
  READ_NAMES.has(name) ||
  READ_PREFIXES.some((prefix) => name.startsWith(prefix)) ||
  otherFigureIn(name, 1) !== undefined;

/** Returns whether an attribute of this name is known and only shown with its span. */
export const isShownOnly = (name: string): boolean =>
  !isTaken(name) && (SHOWN_NAMES.has(name) || SHOWN_PREFIXES.some((prefix) => name.startsWith(prefix)));

/** Returns the type of a span, and its attributes that no reader recognises (sorted). */
export function readSpan(span: SpanRecord, logs: readonly LogRecord[]): SpanReading {
  const unmapped = Object.keys(span.attributes).filter(
    (name) =>
      !NAMES.has(name) &&
      !PREFIXES.some((prefix) => name.startsWith(prefix)) &&
      !otherFigureIn(name, span.attributes[name]),
  );
  return { type: resolveSpanType(viewSpan(span, logs)), unmapped: unmapped.sort() };
}
