import type { SpanError } from "../../schemas";
import type { ControlFlow } from "../convention";
import { CONVENTIONS } from "../conventions";
import { sourcesOf } from "./precedence";
import { firstOf, textOf } from "./reader";
import type { SpanView } from "./span-view";

/** How clients report a failed span without setting its status. */
export const FAILED = sourcesOf("failed");

export const ERROR_TYPE = sourcesOf("errorType");

export const ERROR_MESSAGE = sourcesOf("errorMessage");

const STATUS_ERROR = 2;

/**
 * Exceptions with which programs steer: a graph that waits for a person or hands over to another, a coroutine or request that
 * its caller has given up. By the name of the class.
 */
const CONTROL_FLOW: ReadonlyMap<string, ControlFlow> = new Map<string, ControlFlow>([
  ...CONVENTIONS.flatMap(({ controlFlow = {} }) => Object.entries(controlFlow)),
  // handoffs that frameworks and applications raise
  ["Handoff", "handed over"],
  ["HandoffException", "handed over"],
  ["HandoffRequested", "handed over"],
  ["AgentHandoff", "handed over"],
  ["HandoffSignal", "handed over"],
  // Python
  ["CancelledError", "cancelled"],
  ["Cancelled", "cancelled"], // Trio
  ["GeneratorExit", "cancelled"],
  ["KeyboardInterrupt", "cancelled"],
  ["ClientDisconnect", "cancelled"], // Starlette
  // JavaScript
  ["AbortError", "cancelled"],
  ["APIUserAbortError", "cancelled"], // OpenAI's and Anthropic's SDKs
  ["ResponseAborted", "cancelled"], // Next.js
  // the JVM, .NET and gRPC
  ["CancellationException", "cancelled"],
  ["OperationCanceledException", "cancelled"],
  ["CANCELLED", "cancelled"],
  ["Canceled", "cancelled"],
  ["499", "cancelled"], // nginx: the client closed the request
]);

/** The same as messages of spans and exceptions whose class says nothing. */
const CONTROL_FLOW_MESSAGES: readonly (readonly [RegExp, ControlFlow])[] = [
  ...CONVENTIONS.flatMap(({ controlFlowMessages = [] }) => controlFlowMessages),
  [/^(?:[\w.]+\.)?(?:CancelledError|AbortError|GeneratorExit)\b/, "cancelled"],
  [/^(?:(?:This|The) operation was aborted|Request was aborted|The user aborted a request)\.?$/i, "cancelled"],
  [/^(?:signal is aborted without reason|context canceled|rpc error: code = Canceled\b.*)$/i, "cancelled"],
];
/** Classes that any error may have. */
const GENERIC = new Set(["", "Error", "DOMException", "Exception", "error", "_OTHER", "errorString", "wrapError"]);

/** The name of a class without its module: of `asyncio.exceptions.CancelledError`, `java.util.concurrent.CancellationException`. */
const className = (type: string | null) =>
  type
    ?.trim()
    .split(/[./:]+/)
    .at(-1) ?? "";

/** Returns what happened to a span that did not fail but ended by an exception, or `null`. */
function controlFlowOf({ type, message }: SpanError): ControlFlow | null {
  const name = className(type);
  const known = CONTROL_FLOW.get(name);
  if (known !== undefined) return known;
  if (!GENERIC.has(name)) return null;
  const text = message?.trim() ?? "";
  return CONTROL_FLOW_MESSAGES.find(([pattern]) => pattern.test(text))?.[1] ?? null;
}

/** Returns how a span ended that was interrupted, cancelled or handed over, or `null`. */
export function resolveControlFlow(view: SpanView): ControlFlow | null {
  const raised = raisedBy(view);
  return raised && controlFlowOf(raised);
}

/** Returns the error of a span, or `null` if it did not fail. Control flow that a client reports as an error is none. */
export function resolveError(view: SpanView): SpanError | null {
  const raised = raisedBy(view);
  return raised && controlFlowOf(raised) === null ? raised : null;
}

/** Returns what a span reports as its error. An exception event is preferred over the status. */
function raisedBy(view: SpanView): SpanError | null {
  const { span, attributes } = view;
  if (span.status.code !== STATUS_ERROR && firstOf(FAILED, attributes) !== true) return null;
  const exception = view.events.findLast((event) => event.name === "exception")?.attributes;
  return {
    type: textOf(exception?.["exception.type"]) ?? firstOf(ERROR_TYPE, attributes) ?? null,
    message:
      textOf(exception?.["exception.message"]) ?? span.status.message ?? firstOf(ERROR_MESSAGE, attributes) ?? null,
  };
}
