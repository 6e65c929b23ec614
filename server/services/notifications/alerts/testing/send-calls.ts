import type { Ctx } from "@/server/platform/context";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "@/server/platform/durations";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";

/** For tests: half a minute into the present one. */
export const HERE = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS + 30_000;
/** Not so late in the day that the minutes of a test reach the next. */
export const NOW = HERE - (HERE % DAY_MS > DAY_MS - HOUR_MS ? HOUR_MS : 0);
export const DAY = Math.floor(NOW / DAY_MS) * DAY_MS;
/** Cost of a call: 100 input and 20 output tokens of gpt-4o. */
export const CALL = 0.00045;

const hex = (n: number, length: number) => n.toString(16).padStart(length, "0");
let spans = 0;
type Sent = {
  at?: number;
  count?: number;
  failed?: boolean;
  ms?: number;
  model?: string | undefined;
  user?: string | undefined;
  tags?: string[];
};

/** For tests: sends calls of one conversation each. */
export async function sendCalls(
  ctx: Ctx,
  { at = NOW - 5 * MINUTE_MS, count = 1, failed = false, ms = 10, model, user, tags }: Sent,
) {
  const attributes = { ...(user && { "user.id": user }), ...(tags && { "langfuse.trace.tags": tags }) };
  const spanOf = () => {
    const n = ++spans;
    const ids = { traceId: hex(n, 32), spanId: hex(n, 16) };
    const error = failed ? { error: "The model is overloaded." } : {};
    return chatSpan(
      { ...ids, startMs: at, durationMs: ms, ...error, attributes },
      model === undefined ? {} : { model },
    );
  };
  await ingest(ctx, Array.from({ length: count }, spanOf));
}
