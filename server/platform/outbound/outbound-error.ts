/** Why an outbound call failed: a closed set, so that callers can decide and screens can explain. */
export type OutboundReason =
  /** The request cannot be sent: no valid address, an unsupported scheme, or an invalid header. */
  | "invalid"
  /** The address is refused unless the operator allows it. */
  | "refused"
  | "unreachable"
  | "timeout"
  | "tls"
  | "too_large"
  | "redirect"
  /** The caller does not accept the reply's status. */
  | "status"
  /** The reply is malformed or not what the caller expects. */
  | "unreadable";

/** Statuses that are worth a retry; 529 is Anthropic's for an overload. */
const TRANSIENT_STATUSES = new Set([408, 425, 429, 500, 502, 503, 504, 529]);

/**
 * A failed outbound call, with a message for people. It is stored, shown and logged, so it never contains a cause, a resolved
 * address or text from the other side.
 */
export class OutboundError extends Error {
  override name = "OutboundError";
  /** The reply's HTTP status, where that is the reason. */
  readonly status: number | undefined;
  /** Seconds, from the reply's Retry-After. */
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

  /** Whether a retry may succeed. */
  get transient(): boolean {
    if (this.reason === "status") return TRANSIENT_STATUSES.has(this.status ?? 0);
    return this.reason === "unreachable" || this.reason === "timeout";
  }
}
