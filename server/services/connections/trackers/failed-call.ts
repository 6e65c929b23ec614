import { OutboundError } from "@/server/platform/outbound";
import { asTrackerError, TrackerError } from "./tracker-error";

/**
 * Converts a failed outbound call to a tracker error. It is ambiguous only for a write: a failed read cannot have had an
 * effect.
 */
export function failedCall(error: unknown, isWrite = true): unknown {
  if (error instanceof OutboundError && error.reason === "redirect")
    return new TrackerError("destination", error.message);
  const failed = asTrackerError(error);
  if (isWrite || !(failed instanceof TrackerError) || !failed.ambiguous) return failed;
  return new TrackerError(failed.reason, failed.message, { retryAt: failed.retryAt });
}
