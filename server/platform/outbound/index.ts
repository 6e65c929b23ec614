import { env } from "@/env";
import { SECOND_MS } from "@/server/platform/durations";
import { createOutbound, type Outbound } from "./client";
import { databaseEndpoints } from "./database-endpoints";

export { createOutbound, type Outbound, type OutboundReply, type OutboundStream } from "./client";
export { OutboundError, type OutboundReason } from "./outbound-error";
export type { OutboundMethod, OutboundRequest } from "./request";
export { retryAfterSeconds, withRetries as retryTransient } from "./retry";

function guard() {
  const { OUTBOUND_ALLOW: allow, DATABASE_URL, MIGRATION_DATABASE_URL } = env();
  return { allow, databases: databaseEndpoints([DATABASE_URL, MIGRATION_DATABASE_URL]) };
}

let shared: Outbound | undefined;

/** Returns this process's client for addresses that a person entered. Created lazily, like `env()`. */
export function outbound(): Outbound {
  shared ??= createOutbound(guard());
  return shared;
}

/** A model may think for minutes before its first word, and between two. */
const MODEL_SILENCE_MS = 600 * SECOND_MS;
/** One project gets half of them: 600 streams. */
const MODEL_CALLS = 1_200;
const MODEL_KEEP_ALIVE_MS = 30 * SECOND_MS;

let forModels: Outbound | undefined;

/**
 * Returns this process's client for the calls that applications make to models through us: many long streams at once, which
 * must not take the slots of other calls, and arrive uncompressed, so that no event waits for a block to fill.
 */
export function modelOutbound(): Outbound {
  forModels ??= createOutbound({
    ...guard(),
    silenceMs: MODEL_SILENCE_MS,
    concurrentCalls: MODEL_CALLS,
    keepAliveMs: MODEL_KEEP_ALIVE_MS,
    acceptEncoding: "identity",
  });
  return forModels;
}
