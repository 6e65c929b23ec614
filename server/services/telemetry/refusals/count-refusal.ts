import type { RefusalReason } from "@/db/schema/enumerations";
import type { ErrorCode } from "@/server/platform/errors";
import { refusals } from "@/server/platform/http/telemetry-refusals";
import { knownError } from "@/server/platform/logging/known-error";

/** Where telemetry is received, and where exporters send it that were given a little too much or too little of the address. */
const TELEMETRY_PATH = /^\/v1(?:\/(?:v1|otlp|traces|logs|metrics))+$/;

const REASONS: Partial<Record<ErrorCode, RefusalReason>> = {
  unauthenticated: "unknown_key",
  forbidden: "missing_capability",
  not_found: "wrong_path",
  method_not_allowed: "wrong_method",
  unsupported_media_type: "wrong_content_type",
  too_large: "too_large",
  invalid: "malformed_body",
  rate_limited: "rate_limited",
};

function reasonOf(error: unknown, authorization: string | null): RefusalReason {
  const code = knownError(error)?.code;
  if (code === "unauthenticated" && authorization === null) return "missing_key";
  return (code && REASONS[code]) ?? "unavailable";
}

const senderOf = ({ headers }: Request) => ({
  authorization: headers.get("authorization"),
  address: headers.get("x-forwarded-for"),
});

/** Counts a request to `/v1` that was refused, if it was to bring telemetry. One that its sender gave up is none. */
export function countRefusal(request: Request, pathname: string, error: unknown) {
  if (request.signal.aborted || !TELEMETRY_PATH.test(pathname)) return;
  const sender = senderOf(request);
  refusals.count(reasonOf(error, sender.authorization), sender);
}
