/** The kinds of service errors. Each door maps them to its own protocol. */
export type ErrorCode =
  | "invalid"
  | "unauthenticated"
  | "budget_exceeded"
  | "forbidden"
  | "not_found"
  | "method_not_allowed"
  | "timed_out"
  | "conflict"
  | "too_large"
  | "unsupported_media_type"
  | "range_not_satisfiable"
  | "unprocessable"
  | "rate_limited"
  | "not_implemented"
  | "unavailable";

/** One problem of an input: `path` is a JSON pointer (RFC 6901) into it, `""` for the whole. */
export type FieldError = { path: string; message: string };

/** The one error type of services. `message` is shown to callers: no secrets, no queries, no other tenant's ids. */
export class ServiceError extends Error {
  override name = "ServiceError";
  readonly errors: readonly FieldError[] | undefined;
  /** Seconds to wait before a retry. */
  readonly retryAfter: number | undefined;
  /** What OpenAI's clients recognise the error by, if they do. */
  readonly openAiCode: string | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    details: { errors?: readonly FieldError[]; retryAfter?: number; openAiCode?: string; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.openAiCode = details.openAiCode;
    this.errors = details.errors;
    this.retryAfter = details.retryAfter;
  }
}

/** Returns the error for a well-formed field that conflicts with the current state, which no schema can tell. */
export const unprocessable = (path: string, message: string) =>
  new ServiceError("unprocessable", message, { errors: [{ path, message }] });

/** How many ids a message quotes; `errors` has all. */
const QUOTED_MAX = 5;

/**
 * Returns the 404 for a list of ids of which some were not found. It names them, each with its position in the input, so that
 * the caller can continue without them. `path` points to the list.
 */
export function notFoundAmong(what: string, path: string, ids: readonly string[], found: ReadonlySet<string>) {
  const errors = ids.flatMap((id, at) => (found.has(id) ? [] : [{ id, path: `${path}/${at}` }]));
  const missing = [...new Set(errors.map(({ id }) => id))];
  const more = missing.length > QUOTED_MAX ? ` and ${missing.length - QUOTED_MAX} more` : "";
  return new ServiceError(
    "not_found",
    `${what} was not found: ${missing.slice(0, QUOTED_MAX).join(", ")}${more}. Nothing was changed.`,
    { errors: errors.map(({ id, path }) => ({ path, message: `${id} was not found.` })) },
  );
}

/** Returns a 404. Rows of other projects get the same one, so that ids do not leak. */
export const notFound = (what: string) => new ServiceError("not_found", `${what} was not found.`);
