import { OutboundError } from "@/server/platform/outbound";

/** Why a tracker did not do what was asked. */
export type TrackerReason =
  /** The credential is wrong, has expired or lacks a permission. */
  | "credential"
  /** The destination or something the ticket refers to does not exist or is not valid. */
  | "destination"
  /** The ticket was deleted, or moved out of sight. */
  | "gone"
  /** The tracker's limit is reached until `retryAt`. */
  | "rate_limited"
  /** The tracker cannot be reached, timed out or failed. A retry may succeed. */
  | "unavailable";

/** Longest text of a tracker that is repeated to people. */
const WORDS_MAX = 400;

/** A failed call to a tracker, with a message for people. It may contain the tracker's own words, shortened to one line. */
export class TrackerError extends Error {
  override name = "TrackerError";
  /** Unix ms; of `rate_limited`. */
  readonly retryAt: number | undefined;
  /** Whether the call may have had its effect all the same: no reply came, or one that does not tell. */
  readonly ambiguous: boolean;

  constructor(
    readonly reason: TrackerReason,
    message: string,
    { retryAt, ambiguous = false }: { retryAt?: number | undefined; ambiguous?: boolean } = {},
  ) {
    super(message);
    this.retryAt = retryAt;
    this.ambiguous = ambiguous;
  }

  /** Whether the same call may succeed later. */
  get transient(): boolean {
    return this.reason === "rate_limited" || this.reason === "unavailable";
  }
}

/** Returns text of a tracker as one short line. */
export function trackerWords(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is removed
  const line = text.replace(/[\u0000-\u001f\u007f\s]+/g, " ").trim();
  return line.length <= WORDS_MAX ? line : `${line.slice(0, WORDS_MAX - 1)}…`;
}

/** Returns a tracker's words as the end of a sentence of ours: `: “Not Found”`, or nothing. */
export const quotedWords = (words: string) => (words === "" ? "" : `: “${words.replace(/\.$/, "")}”`);

/** Returns a failed outbound call as the tracker's; other errors are bugs and returned unchanged. */
export function asTrackerError(error: unknown): unknown {
  if (!(error instanceof OutboundError)) return error;
  if (error.reason === "refused" || error.reason === "invalid") return new TrackerError("credential", error.message);
  const retryAt = error.retryAfter === undefined ? undefined : Date.now() + error.retryAfter * 1000;
  // Refused connections and names that do not resolve sent nothing, but telling them apart is not worth a second ticket.
  return new TrackerError("unavailable", error.message, { retryAt, ambiguous: true });
}
