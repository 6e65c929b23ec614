import type { z } from "zod";
import { rateLimitWords } from "./rate-limit";
import { quotedWords, TrackerError, type TrackerReason, trackerWords } from "./tracker-error";

/** What a call is about, for its error message. */
export type Subject = {
  /** The tracker's name in messages. */
  service: string;
  destination: string | null;
  /** The ticket as displayed to people; `null` if the call is about the destination. */
  ticket: string | null;
};

/** Returns functions that build the subject of a call to a service. */
export const subjectsOf = (service: string) => ({
  place: (destination: string | null): Subject => ({ service, destination, ticket: null }),
  ticket: (destination: string, externalId: string): Subject => ({
    service,
    destination,
    ticket: `${destination}#${externalId}`,
  }),
});

/** A refusal and the reason that the tracker gave. */
export type Refusal = {
  status: number;
  /** The tracker's own text. */
  words: string;
  /** Unix ms, if a rate limit is the reason. */
  retryAt?: number | undefined;
};

type RefusalKind = {
  matches: (refusal: Refusal, subject: Subject) => boolean;
  reason: TrackerReason;
  /** `words` is a quotation that begins with a colon, or empty. */
  message: (subject: Subject, words: string, refusal: Refusal) => string;
};

/** The destination, or the account if there is none. */
const place = ({ destination }: Subject) => destination ?? "the account";
const oneOf =
  (...statuses: number[]) =>
  ({ status }: Refusal) =>
    statuses.includes(status);

/** Refusals in matching order, with our reasons and messages. */
const REFUSALS: readonly RefusalKind[] = [
  {
    matches: ({ retryAt }) => retryAt !== undefined,
    reason: "rate_limited",
    message: ({ service }, _, { retryAt }) => rateLimitWords(service, retryAt ?? 0),
  },
  {
    matches: oneOf(401),
    reason: "credential",
    message: ({ service }, words) =>
      `${service} does not accept the token${words}. Enter a valid one in the connection.`,
  },
  {
    matches: ({ status, words }) => status === 410 && /disabled/i.test(words),
    reason: "destination",
    message: (subject, words) =>
      `${place(subject)} does not accept tickets${words}. Turn its issues on, or choose another destination.`,
  },
  {
    matches: ({ status, words }) => status === 403 && /archived/i.test(words),
    reason: "destination",
    message: (subject, words) =>
      `${place(subject)} does not accept tickets${words}. Unarchive it, or choose another destination.`,
  },
  {
    matches: oneOf(403),
    reason: "credential",
    message: (subject, words) =>
      `${subject.service} does not let the token do this in ${place(subject)}${words}. Give it write access to issues there.`,
  },
  {
    matches: (refusal, { ticket }) => ticket !== null && oneOf(404, 410)(refusal),
    reason: "gone",
    message: ({ service, ticket }, words) =>
      `${ticket} no longer exists on ${service}, or the token cannot see it${words}. Replace the ticket if it is still needed.`,
  },
  {
    matches: oneOf(404, 410),
    reason: "destination",
    message: (subject, words) =>
      `${place(subject)} does not exist on ${subject.service}, or the token cannot see it${words}. Check the name and the token's access.`,
  },
  {
    matches: oneOf(408, 409, 425),
    reason: "unavailable",
    message: ({ service }, words, { status }) => `${service} replied with the status ${status}${words}. Try again.`,
  },
  {
    matches: () => true,
    reason: "destination",
    message: (subject, words, { status }) =>
      `${subject.service} rejected the request for ${subject.ticket ?? place(subject)} (${status})${words}. Correct the connection's settings accordingly.`,
  },
];

/** Returns the error for a call that the tracker refused. */
export function refusedCall(refusal: Refusal, subject: Subject): TrackerError {
  const kind = REFUSALS.find(({ matches }) => matches(refusal, subject)) as RefusalKind;
  const message = kind.message(subject, quotedWords(trackerWords(refusal.words)), refusal);
  return new TrackerError(kind.reason, message, {
    retryAt: refusal.retryAt,
    ambiguous: kind.reason === "unavailable",
  });
}

/**
 * Runs work on a ticket. If the ticket is not found it is gone, unless its destination is not found either: that is a different
 * error, which affects all tickets there.
 */
export async function aboutTicket<T>(readDestination: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TrackerError && error.reason === "gone") await readDestination();
    throw error;
  }
}

/** Returns the message for a reply that does not match the service's API; another service may be running at that address. */
export const unreadableReply = (service: string) =>
  `The reply from ${service} does not match its API documentation. Check the connection's address.`;

/** Parses a tracker's reply. One that does not match the schema leaves unknown whether the call took effect. */
export function readReply<Schema extends z.ZodType>(schema: Schema, reply: unknown, service: string): z.output<Schema> {
  const parsed = schema.safeParse(reply);
  if (parsed.success) return parsed.data;
  throw new TrackerError("unavailable", unreadableReply(service), { ambiguous: true });
}
