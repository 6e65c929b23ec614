import { env } from "@/env";
import { createOutbound, type Outbound } from "./client";
import { databaseEndpoints } from "./database-endpoints";

export { createOutbound, type Outbound, type OutboundReply, type OutboundStream } from "./client";
export { OutboundError, type OutboundReason } from "./outbound-error";
export type { OutboundMethod, OutboundRequest } from "./request";

let shared: Outbound | undefined;

/** The client of this process for every address that a person gave. Opened on first use, as `env()` is. */
export function outbound(): Outbound {
  const { OUTBOUND_ALLOW: allow, DATABASE_URL, MIGRATION_DATABASE_URL } = env();
  shared ??= createOutbound({ allow, databases: databaseEndpoints([DATABASE_URL, MIGRATION_DATABASE_URL]) });
  return shared;
}
