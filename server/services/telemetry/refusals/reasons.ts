import type { RefusalReason } from "@/db/schema/enumerations";

/** What was wrong with the requests ("3 requests …"), and what the sender has to change; backticks mark names. */
export const REFUSALS: Record<RefusalReason, { what: string; remedy: string }> = {
  missing_key: {
    what: "without a key",
    remedy: "Set `OTEL_EXPORTER_OTLP_HEADERS` to `authorization=Bearer%20` and an API key of this project.",
  },
  unknown_key: {
    what: "with an unknown key",
    remedy: "Copy the key whole, from `whet_` to its last character, or create a new one.",
  },
  inactive_key: {
    what: "with a revoked or expired key",
    remedy: "Create a new API key, and give it to the sender.",
  },
  missing_capability: {
    what: "with a key that may not send telemetry",
    remedy: "Use a key with the capability `telemetry:write`.",
  },
  wrong_path: {
    what: "to a wrong path",
    remedy:
      "Set `OTEL_EXPORTER_OTLP_ENDPOINT` to the endpoint on this page: exporters add `/v1/traces` to it themselves.",
  },
  wrong_method: { what: "with a wrong method", remedy: "Send telemetry with POST." },
  wrong_content_type: {
    what: "with a wrong content type or encoding",
    remedy: "Send `application/x-protobuf` or `application/json`, plain or compressed with gzip or deflate.",
  },
  too_large: {
    what: "with too large a body",
    remedy: "Send smaller batches: a body may be up to 16 MiB after decompression, one of metrics 4 MiB.",
  },
  malformed_body: {
    what: "with a body that cannot be read",
    remedy: "Send an OTLP message in the format that the content type names.",
  },
  rate_limited: {
    what: "above the rate limit",
    remedy: "Exporters send these again later. If it goes on, send from fewer processes or sample fewer traces.",
  },
  unavailable: {
    what: "that Whetstone could not store at that moment",
    remedy: "Exporters send these again. If it goes on, see the server log.",
  },
  metrics_not_stored: {
    what: "with metrics, which are not stored",
    remedy: "Set `OTEL_METRICS_EXPORTER=none` to stop them.",
  },
  others: {
    what: "from more senders than are told apart",
    remedy: "See the log of the proxy in front of Whetstone for who sends them.",
  },
};
