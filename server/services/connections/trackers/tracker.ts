import type { Caller } from "../kinds/kind";
import type { StoredTicketFields, TicketField, TicketFieldValues } from "../schemas";

/** A ticket in its current state at the tracker. */
export type Ticket = {
  /** Identifies it to the tracker's API within its destination: an issue number, an iid, a UUID, a key. It changes only if the ticket moves. */
  externalId: string;
  /** The ticket's destination, if it is no longer the one it was read from. */
  movedTo?: string;
  /** As displayed to people: `owner/repo#12`, `group/project#12`, `ENG-12`. */
  key: string;
  /** The web page, for people. */
  url: string;
  /** The tracker's name of its state: `open`, `closed`, or a state of its workflow such as `In review`. */
  state: string;
  /** Whether the tracker itself counts that state as done. A connection's mapping may say otherwise. */
  isDone: boolean;
  /** Time of the last change there, Unix ms by the tracker's clock. */
  updatedAt: number;
};

/** A commit or a pull request that refers to a ticket. */
export type CodeReference = {
  kind: "commit" | "pull_request";
  url: string;
  title: string;
  /** Of a pull request; `null` for a commit, or if the tracker does not report it. */
  state: "open" | "merged" | "closed" | null;
  /** Unix ms. */
  at: number;
};

export type NewTicket = {
  title: string;
  /** Markdown. Trackers with another format convert it. */
  body: string;
  labels: readonly string[];
  /** Jira only; `null`: the project's first ordinary type. */
  issueType: string | null;
  /** Identifies the ticket to us, invisible to people. The same for every attempt to create it. */
  marker: string;
};

/**
 * The operations of all trackers, in our terms. `destination` is in the tracker's notation: `owner/repo`, `group/project`, a
 * team key, a project key. Every method throws a `TrackerError` on failure, and none may run inside a transaction.
 */
export type Tracker = {
  /** How long a ticket may exist before `findCreated` finds it, in ms; 0 if creation itself is idempotent. */
  readonly creationLagMs: number;
  /** Creates a ticket. The caller has checked with `findCreated` that no earlier attempt did. */
  create(destination: string, ticket: NewTicket): Promise<Ticket>;
  /** Returns the ticket with this marker among those created since (Unix ms); `null` if there is none. */
  findCreated(destination: string, marker: string, since: number): Promise<Ticket | null>;
  read(destination: string, externalId: string): Promise<Ticket>;
  /** Returns all tickets that changed since (Unix ms). May include tickets that are not ours. */
  changedSince(destination: string, since: number): Promise<Ticket[]>;
  /** Moves the ticket to a state that counts as done (or as open), unless it is already in one. */
  setDone(destination: string, externalId: string, done: boolean): Promise<Ticket>;
  /** Adds a comment (Markdown), unless one with this marker exists. */
  comment(destination: string, externalId: string, comment: { body: string; marker: string }): Promise<void>;
  /** Returns the commits and pull requests that refer to the ticket, as far as the tracker reports them. */
  references(destination: string, externalId: string): Promise<CodeReference[]>;
  /**
   * Returns what would prevent handing off, in messages that say what to do: a missing scope or permission, or a destination,
   * state, label or field that does not exist. Empty if nothing does. `destination` is `null` if there is no default.
   */
  check(destination: string | null): Promise<string[]>;
  /**
   * Returns the fields of new tickets that we do not fill in ourselves, and the issue type that they are of: the connection's
   * unless one is given. The options of a user's field include the user in `values` if one can be chosen. Only of trackers with such fields.
   */
  fields?(destination: string, options: FieldOptions): Promise<{ issueType: string; fields: TicketField[] }>;
};

export type FieldOptions = { issueType?: string | undefined; values: TicketFieldValues };

/** The part of a connection's settings that trackers use. Empty lists: the tracker's own classification of open and done. */
export type TrackerOptions = {
  openStates: readonly string[];
  closedStates: readonly string[];
  labels: readonly string[];
  /** Jira only. */
  issueType: string | null;
  /** Jira only: what new tickets get in fields that we do not fill in ourselves. */
  ticketFields: StoredTicketFields;
  /** GitHub only; `null` if the secret is a token. */
  installationId: string | null;
};

export type MakeTracker = (service: Caller, options: TrackerOptions) => Tracker;

/** The content of a webhook delivery. Only a hint: the ticket is read again, so order and age do not matter. */
export type WebhookEvent = {
  /** The tracker's id of the delivery, which identifies duplicates. */
  deliveryId: string;
  /** The tracker's name of the event, such as `issues.closed`. */
  name: string;
  /** The ticket that changed; `null` for events without one. */
  externalId: string | null;
  /** The ticket's destination, in the tracker's notation; `null` if the delivery does not name it. */
  destination: string | null;
  /** When the tracker sent it, Unix ms; `null` if the delivery does not say. */
  sentAt: number | null;
};

/** Reads a delivery; returns `null` if its signature is invalid. `body` is raw; header names are in lower case. */
export type ReadWebhook = (
  secret: string,
  request: { headers: Readonly<Record<string, string>>; body: Buffer },
) => WebhookEvent | null;
