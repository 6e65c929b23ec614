import { z } from "zod";
import { faultOf, unavailable } from "./database/database-fault";
import { ServiceError } from "./errors";
import { fieldErrors } from "./field-errors";
import { OutboundError } from "./outbound/outbound-error";

/** SQLSTATEs of text that Postgres cannot keep: NUL and lone surrogates that no schema caught. */
const UNSTORABLE = new Set(["22021", "22P05"]);

/** The foreign key from a project's table to its project, as the migrations name it. */
const OF_A_PROJECT = /_project_id_projects_id_fk$/;

/** A chain of causes that is longer than this is a loop. */
const CAUSES = 8;

function causesOf(error: unknown): Error[] {
  const causes: Error[] = [];
  for (let at = error, n = 0; at instanceof Error && n < CAUSES; at = at.cause, n++) {
    causes.push(at);
    // A refused connection to a name with several addresses is one error for each of them.
    if (at instanceof AggregateError) causes.push(...at.errors.flatMap(causesOf));
  }
  return causes;
}

const text = (value: unknown) => (typeof value === "string" ? value : "");
const codeOf = (error: Error) => ("code" in error ? text(error.code) : "");
const constraintOf = (error: Error) => ("constraint_name" in error ? text(error.constraint_name) : "");

/** The codes of an error and of what caused it, of Postgres and of Node. */
export const errorCodes = (error: unknown): string[] => causesOf(error).map(codeOf);

/** A call to somebody else's service that failed: to be mended in the address, or to be tried again. */
function calledOutside(error: OutboundError) {
  const isTheAddress = error.reason === "refused" || error.reason === "invalid";
  const { retryAfter } = error;
  return new ServiceError(isTheAddress ? "unprocessable" : "unavailable", error.message, {
    cause: error,
    ...(retryAfter === undefined ? {} : { retryAfter }),
  });
}

/** The error in a service's own words, when it is one that a caller can act on; `undefined` for our own mistakes. */
export function knownError(error: unknown): ServiceError | undefined {
  const causes = causesOf(error);
  // Drizzle wraps what the pool refuses.
  const said = causes.find((cause) => cause instanceof ServiceError);
  if (said) return said;
  const outside = causes.find((cause) => cause instanceof OutboundError);
  if (outside) return calledOutside(outside);
  if (error instanceof z.ZodError) {
    return new ServiceError("invalid", "The request is not valid.", { errors: fieldErrors(error), cause: error });
  }
  const codes = causes.map(codeOf);
  const fault = faultOf(codes);
  if (fault) return unavailable(fault, error);
  // Deleted between the check of who asks, which may be seconds old, and this write.
  if (causes.some((cause) => OF_A_PROJECT.test(constraintOf(cause)))) {
    return new ServiceError("not_found", "There is no such project.", { cause: error });
  }
  if (codes.some((code) => UNSTORABLE.has(code))) {
    return new ServiceError("invalid", "A text has a character that cannot be stored.", { cause: error });
  }
  return undefined;
}
