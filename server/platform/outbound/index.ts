import { env } from "@/env";
import { createOutbound, type Outbound } from "./client";
import { databaseEndpoints } from "./database-endpoints";

export { createOutbound, type Outbound, type OutboundReply, type OutboundStream } from "./client";
export { OutboundError, type OutboundReason } from "./outbound-error";
export type { OutboundMethod, OutboundRequest } from "./request";
export { retryAfterSeconds, withRetries as retryTransient } from "./retry";

let shared: Outbound | undefined;

/** Returns this process's client for addresses that a person entered. Created lazily, like `env()`. */
export function outbound(): Outbound {
  const { OUTBOUND_ALLOW: allow, DATABASE_URL, MIGRATION_DATABASE_URL } = env();
  shared ??= createOutbound({ allow, databases: databaseEndpoints([DATABASE_URL, MIGRATION_DATABASE_URL]) });
  return shared;
}
