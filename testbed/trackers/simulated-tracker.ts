import type { Received } from "@/server/services/connections/testing";

/** A ticket in a simulated tracker. */
export type SimulatedTicket = {
  externalId: string;
  key: string;
  title: string;
  /** As stored by the tracker. */
  body: string;
  state: string;
  isDone: boolean;
  labels: string[];
  /** What it has in fields of its own, as the API takes them. Jira only. */
  fields?: Record<string, unknown>;
  comments: string[];
};

/** For tests: a tracker on loopback that behaves as its API documents. */
export type SimulatedTracker = {
  /** What a connection to it needs. */
  baseUrl: string;
  secret: string;
  /** A destination where tickets can be created, and one where they cannot. */
  destination: string;
  unusableDestination: string;
  webhookSecret: string;
  tickets(): SimulatedTicket[];
  /** Changes a ticket as a user there would; `state` is one of the tracker's names, default: its first done or open state. */
  setDone(externalId: string, done: boolean, state?: string): void;
  /** Deletes a ticket as a user there would. */
  remove(externalId: string): void;
  /** Adds a commit or pull request that refers to the ticket. */
  mention(externalId: string, reference: { kind: "commit" | "pull_request"; title: string }): void;
  /** Returns the delivery of the ticket's last change as it would be sent now, signed as the tracker signs it. */
  delivery(externalId: string): { headers: Record<string, string>; body: string };
  /**
   * Decides the outcome of each API request. `drop`: nothing happens and the connection breaks; `lose`: the request takes
   * effect and the connection breaks before the reply; `limit`: the reply is that of an exhausted rate limit, for a second; a
   * number: a reply with that status and the tracker's form of an error.
   */
  fault: (request: Received) => "drop" | "lose" | "limit" | number | undefined;
  /** Delay in ms until a new ticket appears in lists and searches. Reading it by id always works. Default: 0. */
  lagMs: number;
  received: Received[];
  stop(): Promise<void>;
};
