import type { Caller } from "../kinds/kind";

/** A ticket as its tracker has it now. */
export type Ticket = {
  /** What the tracker's API finds it by within its destination: an issue number, an iid, a UUID, a key. It never changes. */
  externalId: string;
  /** As people write it: `owner/repo#12`, `group/project#12`, `ENG-12`. */
  key: string;
  /** For people. */
  url: string;
  /** The tracker's name of its state: `open`, `closed`, or a state of its workflow such as `In review`. */
  state: string;
  /** Whether the tracker itself counts that state as done. A connection's mapping may say otherwise. */
  isDone: boolean;
  /** Of the last change there, Unix ms by the tracker's clock. */
  updatedAt: number;
};

/** A commit or a pull request that names a ticket. */
export type CodeReference = {
  kind: "commit" | "pull_request";
  url: string;
  title: string;
  /** Of a pull request; `null` for a commit and where the tracker does not tell. */
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
  /** Identifies the ticket to us, unseen by people. The same for every attempt to create it. */
  marker: string;
};

/**
 * What all trackers do, in our terms. `destination` is as the tracker writes it: `owner/repo`, `group/project`, a team key, a
 * project key. Every method throws a `TrackerError` where it fails, and none runs inside a transaction.
 */
export type Tracker = {
  /** How long a ticket may exist before `findCreated` finds it, in ms; 0 where creation itself is idempotent. */
  readonly creationLagMs: number;
  /** Creates a ticket. The caller has made sure, with `findCreated`, that an earlier attempt did not. */
  create(destination: string, ticket: NewTicket): Promise<Ticket>;
  /** Returns the ticket with this marker among those created since (Unix ms); `null` if there is none. */
  findCreated(destination: string, marker: string, since: number): Promise<Ticket | null>;
  read(destination: string, externalId: string): Promise<Ticket>;
  /** Returns the tickets that changed since (Unix ms), all of them. May contain others than ours. */
  changedSince(destination: string, since: number): Promise<Ticket[]>;
  /** Moves the ticket to a state that counts as done, or to one that does not; leaves alone one that already is. */
  setDone(destination: string, externalId: string, done: boolean): Promise<Ticket>;
  /** Adds a comment (Markdown), unless one with this marker is there. */
  comment(destination: string, externalId: string, comment: { body: string; marker: string }): Promise<void>;
  /** Returns commits and pull requests that name the ticket, as far as the tracker tells. */
  references(destination: string, externalId: string): Promise<CodeReference[]>;
  /**
   * Returns what stands in the way of handing off, in words that say what to do: a scope or permission that is missing, a
   * destination, state, label or field that does not exist. Empty when nothing does. `destination` is `null` without a default.
   */
  check(destination: string | null): Promise<string[]>;
};

/** The part of a connection's settings that trackers read. Empty lists: the tracker's own idea of open and done. */
export type TrackerOptions = {
  openStates: readonly string[];
  closedStates: readonly string[];
  labels: readonly string[];
  /** Jira only. */
  issueType: string | null;
  /** GitHub only; `null` where the secret is a token. */
  installationId: string | null;
};

export type MakeTracker = (service: Caller, options: TrackerOptions) => Tracker;

/** What a delivery of a tracker's webhook says. Only a hint: the ticket is read afresh, so order and age do not matter. */
export type WebhookEvent = {
  /** The tracker's id of the delivery, by which repetitions are recognized. */
  deliveryId: string;
  /** The tracker's name of the event, such as `issues.closed`. */
  name: string;
  /** The ticket that changed; `null` for events that are about none. */
  externalId: string | null;
  /** Where the ticket is, as the tracker writes it; `null` where it does not say. */
  destination: string | null;
  /** When the tracker sent it, Unix ms; `null` where it does not say. */
  sentAt: number | null;
};

/** Returns what a delivery says, or `null` if its signature is not right. `body` is raw; header names are in lower case. */
export type ReadWebhook = (
  secret: string,
  request: { headers: Readonly<Record<string, string>>; body: Buffer },
) => WebhookEvent | null;
