import { z } from "zod";
import { ServiceError } from "./errors";
import { fieldErrors } from "./field-errors";

/** What postgres.js and Node say when the database cannot be reached. */
const UNREACHABLE = new Set([
  "CONNECT_TIMEOUT",
  "CONNECTION_CLOSED",
  "CONNECTION_DESTROYED",
  "CONNECTION_ENDED",
  "ECONNREFUSED",
  "ECONNRESET",
  "EHOSTUNREACH",
  "ENOTFOUND",
  "EPIPE",
  "ETIMEDOUT",
]);

/** SQLSTATEs of a database that is busy, starting or going down: the same request may succeed in a moment. */
const BUSY = /^(08...|53...|57P0[1-5]|57014|40001|40P01|55P03)$/;
/** SQLSTATEs of text that Postgres cannot keep: NUL and lone surrogates that no schema caught. */
const UNSTORABLE = new Set(["22021", "22P05"]);

const DATABASE_RETRY_SECONDS = 5;
/** A chain of causes that is longer than this is a loop. */
const CAUSES = 8;

/** The codes of an error and of what caused it, of Postgres and of Node. */
export function errorCodes(error: unknown): string[] {
  const codes: string[] = [];
  for (let at = error, n = 0; at instanceof Error && n < CAUSES; at = at.cause, n++) {
    if ("code" in at && typeof at.code === "string") codes.push(at.code);
    // A refused connection to a name with several addresses is one error for each of them.
    if (at instanceof AggregateError) codes.push(...at.errors.flatMap(errorCodes));
  }
  return codes;
}

/** The error in a service's own words, when it is one that a caller can act on; `undefined` for our own mistakes. */
export function knownError(error: unknown): ServiceError | undefined {
  if (error instanceof ServiceError) return error;
  if (error instanceof z.ZodError) {
    return new ServiceError("invalid", "The request is not valid.", { errors: fieldErrors(error), cause: error });
  }
  const codes = errorCodes(error);
  if (codes.some((code) => UNREACHABLE.has(code) || BUSY.test(code))) {
    return new ServiceError("unavailable", "The database cannot be reached at the moment. Try again shortly.", {
      retryAfter: DATABASE_RETRY_SECONDS,
      cause: error,
    });
  }
  if (codes.some((code) => UNSTORABLE.has(code))) {
    return new ServiceError("invalid", "A text has a character that cannot be stored.", { cause: error });
  }
  return undefined;
}
