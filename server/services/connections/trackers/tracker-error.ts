import { OutboundError } from "@/server/platform/outbound";

/** Why a tracker did not carry out a request. */
export type TrackerReason =
  /** The credential is wrong, has expired or lacks a permission. */
  | "credential"
  /** The destination or something the ticket refers to does not exist or is not valid. */
  | "destination"
  /** The ticket was deleted, or moved out of the credential's reach. */
  | "gone"
  /** The tracker's limit is reached until `retryAt`. */
  | "rate_limited"
  /** The tracker cannot be reached, timed out or failed. A retry may succeed. */
  | "unavailable";

/** Longest quotation from a tracker in a message. */
const WORDS_MAX = 400;

/** A failed call to a tracker, with a message for people. It may quote the tracker, shortened to one line. */
export class TrackerError extends Error {
  override name = "TrackerError";
  /** Unix ms; only for `rate_limited`. */
  readonly retryAt: number | undefined;
  /** Whether the call may have taken effect nevertheless: no reply came, or one that leaves it open. */
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

/** Quotes a tracker's text as the end of one of our sentences: `: “Not Found”`, or nothing. */
export const quotedWords = (words: string) => (words === "" ? "" : `: “${words.replace(/\.$/, "")}”`);

/** Converts a failed outbound call to a tracker error; other errors are bugs and returned unchanged. */
export function asTrackerError(error: unknown): unknown {
  if (!(error instanceof OutboundError)) return error;
  if (error.reason === "refused" || error.reason === "invalid") return new TrackerError("credential", error.message);
  const retryAt = error.retryAfter === undefined ? undefined : Date.now() + error.retryAfter * 1000;
  // Refused connections and unresolved names sent nothing, but telling them apart is not worth the risk of a duplicate ticket.
  return new TrackerError("unavailable", error.message, { retryAt, ambiguous: true });
}
