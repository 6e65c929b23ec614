import { z } from "zod";
import { faultOf, unavailable } from "../database/database-fault";
import { ServiceError } from "../errors";
import { fieldErrors } from "../field-errors";
import { OutboundError } from "../outbound/outbound-error";

/** SQLSTATEs for text that Postgres cannot store: NUL and lone surrogates that no schema caught. */
const UNSTORABLE = new Set(["22021", "22P05"]);

/** The name of foreign keys to the project, as the migrations generate it. */
const PROJECT_FOREIGN_KEY = /_project_id_projects_id_fk$/;

/** A longer chain of causes is a cycle. */
const CAUSES_MAX = 8;

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let at = error, n = 0; at instanceof Error && n < CAUSES_MAX; at = at.cause, n++) {
    causes.push(at);
    // A failed connection to a name with several addresses has one error per address.
    if (at instanceof AggregateError) causes.push(...at.errors.flatMap(causesOf));
  }
  return causes;
}

const text = (value: unknown) => (typeof value === "string" ? value : "");
const codeOf = (error: Error) => ("code" in error ? text(error.code) : "");
const constraintOf = (error: Error) => ("constraint_name" in error ? text(error.constraint_name) : "");

/** Returns the codes of an error and its causes, from Postgres and Node. */
export const errorCodes = (error: unknown): string[] => causesOf(error).map(codeOf);

/** A failed outbound call: the caller fixes the address, or retries. */
function outboundFailure(error: OutboundError) {
  const isBadAddress = error.reason === "refused" || error.reason === "invalid";
  const { retryAfter } = error;
  return new ServiceError(isBadAddress ? "unprocessable" : "unavailable", error.message, {
    cause: error,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** Returns the `ServiceError` for an error that a caller can act on; `undefined` for bugs. */
export function knownError(error: unknown): ServiceError | undefined {
  const causes = causesOf(error);
  // Drizzle wraps errors from the pool's bulkhead.
  const serviceError = causes.find((cause) => cause instanceof ServiceError);
  if (serviceError) return serviceError;
  const outside = causes.find((cause) => cause instanceof OutboundError);
  if (outside) return outboundFailure(outside);
  if (error instanceof z.ZodError) {
    return new ServiceError("invalid", "The request is not valid.", { errors: fieldErrors(error), cause: error });
  }
  const codes = causes.map(codeOf);
  const fault = faultOf(codes);
  if (fault) return unavailable(fault, error);
  // The project was deleted after authentication, which may be seconds old, and before this write.
  if (causes.some((cause) => PROJECT_FOREIGN_KEY.test(constraintOf(cause)))) {
    return new ServiceError("not_found", "The project was not found.", { cause: error });
  }
  if (codes.some((code) => UNSTORABLE.has(code))) {
    return new ServiceError("invalid", "A string contains a character that cannot be stored.", { cause: error });
  }
  return undefined;
}
