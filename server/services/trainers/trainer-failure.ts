import { ServiceError } from "@/server/platform/errors";
import { TrainerRefused, TrainerUnreachable } from "./trainer-client";
import { withHint } from "./trainer-problem";

const NOT_FOUND = 404;
const RETRY_SECONDS = 30;

/** Converts an error to that for a caller who is waiting for a trainer; returns others unchanged. */
export function trainerFailure(error: unknown): unknown {
  if (error instanceof TrainerUnreachable) {
    return new ServiceError("unavailable", `The trainer cannot be reached. ${error.message}`, {
      retryAfter: RETRY_SECONDS,
    });
  }
  if (!(error instanceof TrainerRefused)) return error;
  const said = withHint(error.problem);
  if (error.status === NOT_FOUND) return new ServiceError("not_found", `The trainer does not have it: ${said}`);
  return new ServiceError("unavailable", `The trainer refused: ${said}`, { retryAfter: RETRY_SECONDS });
}
