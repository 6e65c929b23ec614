import type { SpanError } from "../../schemas";
import { firstOf, mapped, type Reader, text, textOf } from "./reader";
import type { SpanView } from "./span-view";

/** How clients report a failed span without setting its status. */
export const FAILED: readonly Reader<boolean>[] = [
  mapped("langfuse.observation.level", { error: true }),
  mapped("gen_ai.tool.status", { error: true }), // Strands
  mapped("success", { false: true }), // Claude Code
];

export const ERROR_TYPE: readonly Reader<string>[] = [text("error.type"), text("exception.type")];

export const ERROR_MESSAGE: readonly Reader<string>[] = [
  text("error.message"),
  text("exception.message"),
  text("langfuse.observation.status_message"),
];

const STATUS_ERROR = 2;

/** Returns the error of a span, or `null` if it did not fail. An exception event is preferred over the status. */
export function resolveError(view: SpanView): SpanError | null {
  const { span, attributes } = view;
  if (span.status.code !== STATUS_ERROR && firstOf(FAILED, attributes) !== true) return null;
  const exception = view.events.findLast((event) => event.name === "exception")?.attributes;
  return {
    type: textOf(exception?.["exception.type"]) ?? firstOf(ERROR_TYPE, attributes) ?? null,
    message:
      textOf(exception?.["exception.message"]) ?? span.status.message ?? firstOf(ERROR_MESSAGE, attributes) ?? null,
  };
}
