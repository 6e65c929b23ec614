import type { Ctx } from "@/server/platform/context";
import type { Answer } from "../calls/fold-answer";
import { beginProgress } from "./calls-in-progress";
import { type Call, progressIdOf, requestText, spanOf, spansAround, spansText } from "./record-call";

const INTERRUPTED = "The process that served the call ended before the answer did.";

/** Returns a number that changes with each part of an answer. */
const lengthOf = ({ id, content, reasoning, toolCalls, otherParts, finishReason, usage }: Answer) =>
  content.length +
  reasoning.length +
  otherParts.length +
  toolCalls.reduce((sum, one) => sum + one.name.length + one.arguments.length, 0) +
  [id, finishReason, usage].filter((one) => one !== null).length;

/** Writes down a call while it is in progress, as it would be recorded if the process died, unless it is not recorded at all. */
export function followCall(ctx: Ctx, call: Call): void {
  if (!call.callee.isRecorded) return;
  beginProgress(ctx, progressIdOf(call), {
    traceId: call.traceId,
    startedAt: call.attempts?.startedAt ?? call.startedAt,
    async request() {
      return requestText(call, await call.input);
    },
    length: () => lengthOf(call.answer),
    spans() {
      const own = spanOf(call, INTERRUPTED);
      // Between two attempts, the last one is among those that failed.
      const others = spansAround(call, INTERRUPTED).filter(({ span }) => span.spanId !== call.spanId);
      return spansText([...others, own]);
    },
  });
}
