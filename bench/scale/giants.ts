import type { Ctx } from "@/server/platform/context";
import { decodeTraces, projectPending, storeTraces } from "@/server/services/telemetry";
import { chatSpan, otlpJson, type TestSpan } from "@/server/services/telemetry/testing";

/** Extreme cases: a trace of 20,000 spans, and a conversation of 1,000 turns, each a trace. */
export const GIANT_TRACE = "f".repeat(32);
export const GIANT_CONVERSATION = "session-giant";
const SPANS = 20_000;
const TURNS = 1_000;
const BATCH = 500;

const hex = (number: number, digits = 16) => number.toString(16).padStart(digits, "0");

/** Returns the id of the giant trace's nth span, from 0. */
export const giantSpan = (n: number) => hex(n + 1);

/** Ingests the extreme cases into the filled database through the product's own ingest. */
export async function ingestGiants(ctx: Ctx, now = Date.now()) {
  const text = "the order was sent with the wrong label and came back to the warehouse ".repeat(12);
  await send(ctx, SPANS, (n) =>
    n % 20 === 0
      ? chatSpan(
          { spanId: giantSpan(n), traceId: GIANT_TRACE, startMs: now - SPANS + n },
          { input: [["user", `Step ${n}: ${text}`]], output: `Done ${n}.` },
        )
      : {
          spanId: giantSpan(n),
          traceId: GIANT_TRACE,
          parentSpanId: giantSpan(n - (n % 20)),
          name: "step",
          startMs: now - SPANS + n,
          attributes: { step: n, note: text },
        },
  );
  await send(ctx, TURNS, (n) =>
    chatSpan(
      {
        spanId: hex(1),
        traceId: hex(n + 1, 32),
        startMs: now - 2 * 86_400_000 + n * 30_000,
        attributes: { "gen_ai.conversation.id": GIANT_CONVERSATION, "user.id": "user-giant" },
      },
      { input: [["user", `Question ${n}: ${text}`]], output: `Answer ${n}: ${text}` },
    ),
  );
}

async function send(ctx: Ctx, count: number, span: (n: number) => TestSpan) {
  for (let from = 0; from < count; from += BATCH) {
    const spans = Array.from({ length: Math.min(BATCH, count - from) }, (_, i) => span(from + i));
    await storeTraces(ctx, decodeTraces(Buffer.from(JSON.stringify(otlpJson(spans))), "json"));
  }
  while ((await projectPending(ctx.db)) > 0);
}
