/** Why a call to the outside failed: a closed set, so that callers can decide and screens can explain. */
export type OutboundReason =
  /** The request cannot be sent as it is: no address, another scheme, a header that HTTP does not allow. */
  | "invalid"
  /** An address that is not called, unless the operator allows it. */
  | "refused"
  | "unreachable"
  | "timeout"
  | "tls"
  | "too_large"
  | "redirect"
  /** A status that the caller does not accept. */
  | "status"
  /** A reply that is not what it says, or not what the caller expects. */
  | "unreadable";

/** Statuses after which the same request may well succeed. */
const TRANSIENT_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504]);

/**
 * A failed call to the outside, in a sentence for people. It never has a cause, an address that a name was resolved to, or
 * text of the other side: it is stored, shown and logged.
 */
export class OutboundError extends Error {
  override name = "OutboundError";
  /** What the other side replied, where the reason is its status. */
  readonly status: number | undefined;
  /** Seconds after which the other side wants to be asked again. */
  readonly retryAfter: number | undefined;

  constructor(
    readonly reason: OutboundReason,
    message: string,
    { status, retryAfter }: { status?: number; retryAfter?: number | undefined } = {},
  ) {
    super(message);
    this.status = status;
    this.retryAfter = retryAfter;
  }

  /** Whether the same request may succeed a moment later. */
  get transient(): boolean {
    if (this.reason === "status") return TRANSIENT_STATUSES.has(this.status ?? 0);
    return this.reason === "unreachable" || this.reason === "timeout";
  }
}
