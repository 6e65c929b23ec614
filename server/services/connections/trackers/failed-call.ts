import { OutboundError } from "@/server/platform/outbound";
import { asTrackerError, TrackerError } from "./tracker-error";

/** Returns a failed outbound call as the tracker's. One that only reads leaves no doubt about what it did: nothing. */
export function failedCall(error: unknown, isWrite = true): unknown {
  if (error instanceof OutboundError && error.reason === "redirect")
    return new TrackerError("destination", error.message);
  const failed = asTrackerError(error);
  if (isWrite || !(failed instanceof TrackerError) || !failed.ambiguous) return failed;
  return new TrackerError(failed.reason, failed.message, { retryAt: failed.retryAt });
}
