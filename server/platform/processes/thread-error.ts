import { type DatabaseFault, faultOf, unavailable } from "../database/database-fault";
import { type ErrorCode, type FieldError, ServiceError } from "../errors";
import { errorCodes, knownError } from "../logging/known-error";
import { loggable } from "../logging/loggable";

/** An error as plain data for another thread. On the way an error itself would lose its class and its codes. */
export type ThreadError = { cause: unknown } & (
  | { kind: "known"; code: ErrorCode; message: string; errors?: readonly FieldError[]; retryAfter?: number }
  | { kind: "fault"; fault: DatabaseFault }
  | { kind: "unknown" }
);

/** Returns the error for another thread, without the values that a failed query had. */
export function toThreadError(error: unknown): ThreadError {
  const known = knownError(error);
  if (!known) return { kind: "unknown", cause: loggable(error) };
  const cause = loggable(known.cause);
  const fault = known.cause === error ? faultOf(errorCodes(error)) : undefined;
  if (fault) return { kind: "fault", fault, cause };
  const { code, message, errors, retryAfter } = known;
  return { kind: "known", code, message, ...(errors && { errors }), ...(retryAfter && { retryAfter }), cause };
}

/** Returns what this thread would have thrown. A fault of the database counts as seen by this thread. */
export function fromThreadError(error: ThreadError): unknown {
  switch (error.kind) {
    case "known":
      return new ServiceError(error.code, error.message, error);
    case "fault":
      return unavailable(error.fault, error.cause);
    case "unknown":
      return error.cause;
  }
}
