/** What can go wrong in a service, in words that every door translates into its own language. */
export type ErrorCode =
  | "invalid"
  | "unauthenticated"
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
  /** Seconds after which trying again makes sense. */
  readonly retryAfter: number | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    details: { errors?: readonly FieldError[]; retryAfter?: number; cause?: unknown } = {},
  ) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.errors = details.errors;
    this.retryAfter = details.retryAfter;
  }
}

/** A field that is well formed and still cannot be: what only the state of things tells, not the schema. */
export const unprocessable = (path: string, message: string) =>
  new ServiceError("unprocessable", message, { errors: [{ path, message }] });

/** Also what a caller gets for a row of another project: ids must not leak. */
export const notFound = (what: string) => new ServiceError("not_found", `${what} was not found.`);
