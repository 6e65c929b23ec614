import type { ErrorCode, ServiceError } from "@/server/platform/errors";
import { knownError } from "@/server/platform/logging/known-error";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { throttle } from "@/server/platform/throttle";

/** Maps every service error code to HTTP. A new code does not compile without a line here. */
export const PROBLEMS = {
  invalid: { status: 400, title: "The request is not valid" },
  unauthenticated: { status: 401, title: "Credentials are missing or wrong" },
  budget_exceeded: { status: 402, title: "The budget is used up" },
  forbidden: { status: 403, title: "Not allowed" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  timed_out: { status: 408, title: "Took too long" },
  conflict: { status: 409, title: "Conflicts with the current state" },
  too_large: { status: 413, title: "Too large" },
  unsupported_media_type: { status: 415, title: "Unsupported media type" },
  range_not_satisfiable: { status: 416, title: "No such range" },
  unprocessable: { status: 422, title: "Understood, but can't be done" },
  rate_limited: { status: 429, title: "Too many requests" },
  not_implemented: { status: 501, title: "Not available in this installation" },
  unavailable: { status: 503, title: "Temporarily unavailable" },
} as const satisfies Record<ErrorCode, { status: number; title: string }>;

const INTERNAL = { status: 500, title: "Something went wrong on our side" };

/** What a problem response says about its request. */
export type ProblemContext = {
  requestId: string;
  instance: string;
  /** For clients of the OpenAI interface, which look for their own `error`. */
  openAi?: boolean;
};

/** The names that OpenAI's clients know kinds of errors by. */
const OPENAI_TYPES: Partial<Record<ErrorCode, string>> = {
  unauthenticated: "authentication_error",
  budget_exceeded: "insufficient_quota",
  forbidden: "permission_error",
  rate_limited: "rate_limit_error",
  unavailable: "server_error",
  not_implemented: "server_error",
};

/** Returns OpenAI's error object. */
export const openAiError = (
  code: ErrorCode | "internal",
  message: string,
  { param = null, openAiCode = code }: { param?: string | null; openAiCode?: string | undefined } = {},
) => ({
  message,
  type: code === "internal" ? "server_error" : (OPENAI_TYPES[code] ?? "invalid_request_error"),
  param,
  code: openAiCode,
});

/** While the database is away every request fails for the same reason. */
const mayLog = throttle(5000);

const challenge = (error: ServiceError) =>
  error.code === "unauthenticated" ? { "www-authenticate": 'Bearer realm="whetstone"' } : {};

/** Returns an error as an RFC 9457 response. Anything but a `ServiceError` stays in the log, under the request id. */
export function problemResponse(error: unknown, { requestId, instance, openAi }: ProblemContext): Response {
  const known = knownError(error);
  if (!known || (known.code === "unavailable" && mayLog())) {
    logger("rest").error({ err: loggable(known?.cause ?? error), requestId, instance }, "A request failed.");
  }
  const { status, title } = known ? PROBLEMS[known.code] : INTERNAL;
  const code = known?.code ?? "internal";
  const detail = known?.message ?? "The request failed. For the reason, see the server log under this request ID.";
  const param = known?.errors?.[0]?.path.slice(1).replaceAll("/", ".") || null;
  const body = {
    type: `/docs#problem-${code}`,
    title,
    status,
    detail,
    instance,
    code,
    requestId,
    ...(known?.errors ? { errors: known.errors } : {}),
    ...(openAi ? { error: openAiError(code, detail, { param, openAiCode: known?.openAiCode }) } : {}),
  };
  return new Response(JSON.stringify(body), {
    status,
    headers: {
      "content-type": "application/problem+json",
      ...(known ? challenge(known) : {}),
      ...(known?.retryAfter === undefined ? {} : { "retry-after": String(known.retryAfter) }),
    },
  });
}
