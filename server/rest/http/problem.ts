import type { ErrorCode, ServiceError } from "@/server/platform/errors";
import { knownError } from "@/server/platform/known-error";
import { logger } from "@/server/platform/log";
import { loggable } from "@/server/platform/loggable";
import { throttle } from "@/server/platform/throttle";

/** Every code of the services and what it is over HTTP. A new code does not compile until it has a line here. */
export const PROBLEMS = {
  invalid: { status: 400, title: "The request is not valid" },
  unauthenticated: { status: 401, title: "Credentials are missing or wrong" },
  forbidden: { status: 403, title: "Not allowed" },
  not_found: { status: 404, title: "Not found" },
  method_not_allowed: { status: 405, title: "Method not allowed" },
  timed_out: { status: 408, title: "Took too long" },
  conflict: { status: 409, title: "In conflict with the present state" },
  too_large: { status: 413, title: "Too large" },
  unsupported_media_type: { status: 415, title: "Unsupported media type" },
  range_not_satisfiable: { status: 416, title: "No such range" },
  unprocessable: { status: 422, title: "Understood, but impossible" },
  rate_limited: { status: 429, title: "Too many requests" },
  not_implemented: { status: 501, title: "Not available in this installation" },
  unavailable: { status: 503, title: "Unavailable for the moment" },
} as const satisfies Record<ErrorCode, { status: number; title: string }>;

const OURS = { status: 500, title: "Something went wrong on our side" };

/** What an answer to a request says about the request. */
export type Asked = { requestId: string; instance: string };

/** While the database is away every request fails for the same reason. */
const mayLog = throttle(5000);

const challenge = (error: ServiceError) =>
  error.code === "unauthenticated" ? { "www-authenticate": 'Bearer realm="whetstone"' } : {};

/** An error as RFC 9457 tells it. What is not a service's own word stays in the log, under the request's id. */
export function problemResponse(error: unknown, { requestId, instance }: Asked): Response {
  const known = knownError(error);
  if (!known || (known.code === "unavailable" && mayLog())) {
    logger("rest").error({ err: loggable(known?.cause ?? error), requestId, instance }, "A request failed.");
  }
  const { status, title } = known ? PROBLEMS[known.code] : OURS;
  const code = known?.code ?? "internal";
  const body = {
    type: `/docs#problem-${code}`,
    title,
    status,
    detail: known?.message ?? "The request could not be answered. Its id leads to the reason in the server's log.",
    instance,
    code,
    requestId,
    ...(known?.errors ? { errors: known.errors } : {}),
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
