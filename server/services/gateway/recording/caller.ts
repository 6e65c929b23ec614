import type { Io } from "@/server/platform/stream-verb";
import { type Fields, fieldsOf } from "../calls/fields";

/** Who calls, and within what. */
export type Caller = {
  /** The client's own conversation id, if it sends one. */
  conversationId: string | null;
  /** The client's span around the call, if it sends its trace context. */
  parent: { traceId: string; spanId: string } | null;
  /** How often the client has repeated the call before, if it says so. */
  retries: number | null;
};

const CONVERSATION_HEADERS = ["x-session-id", "session_id"] as const;
const RETRY_HEADER = "x-stainless-retry-count";
const TRACE_HEADER = "traceparent";
/** The headers that say who calls. */
export const CALLER_HEADERS = [...CONVERSATION_HEADERS, RETRY_HEADER, TRACE_HEADER] as const;
const ID_CHARACTERS = 200;

/** W3C Trace Context; ids of zeros only are not valid. */
const TRACEPARENT = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}/;

function parentOf(header: string | undefined): Caller["parent"] {
  const [, traceId, spanId] = TRACEPARENT.exec(header?.trim() ?? "") ?? [];
  return traceId === undefined || spanId === undefined ? null : { traceId, spanId };
}

/** Returns who calls, from the request's metadata and headers. */
export function callerOf({ metadata }: Fields, headers: Io["headers"]): Caller {
  const { conversation_id, session_id } = fieldsOf(metadata);
  const candidates = [conversation_id, session_id, ...CONVERSATION_HEADERS.map((name) => headers[name])];
  const id = candidates.find((one) => typeof one === "string" && one !== "");
  const retries = headers[RETRY_HEADER] ?? "";
  return {
    conversationId: typeof id === "string" ? id.slice(0, ID_CHARACTERS) : null,
    parent: parentOf(headers[TRACE_HEADER]),
    retries: /^\d{1,4}$/.test(retries) ? Number(retries) : null,
  };
}
