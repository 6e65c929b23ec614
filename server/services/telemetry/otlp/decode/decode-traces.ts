import type { Decoded, SpanRecord } from "../types";
import { checkSpan } from "./check-span";
import { decodeBatch, type Encoding } from "./decode-batch";
import { readJsonSpan } from "./json-span";
import { readProtobufSpan } from "./protobuf-span";

const TRACES = {
  levels: {
    resources: ["resourceSpans", "resource_spans"],
    scopes: ["scopeSpans", "scope_spans"],
    items: ["spans", "spans"],
  },
  fromProtobuf: readProtobufSpan,
  fromJson: readJsonSpan,
  check: checkSpan,
} as const;

/**
 * Decodes an OTLP/HTTP traces request (already decompressed).
 * Attribute text over 1 MiB is cut with a visible marker, and NUL and lone surrogates become U+FFFD. A span that
 * violates the protocol is rejected; the others are accepted. Credentials are not masked yet: see `masking`.
 * @param nowMs Unix milliseconds; spans more than a day after it are rejected
 * @throws MalformedBody when the body as a whole cannot be read
 */
export function decodeTraces(body: Uint8Array, encoding: Encoding, nowMs = Date.now()): Decoded<SpanRecord> {
  return decodeBatch(TRACES, body, encoding, nowMs);
}
