import type { Received } from "../../testing";

/** A ticket in a simulated tracker. */
export type SimulatedTicket = {
  externalId: string;
  key: string;
  title: string;
  /** As the tracker stores it. */
  body: string;
  state: string;
  isDone: boolean;
  labels: string[];
  comments: string[];
};

/** For tests: a tracker on loopback that behaves as its API is documented. */
export type SimulatedTracker = {
  /** What a connection to it takes. */
  baseUrl: string;
  secret: string;
  /** Where tickets can be created, and one where they cannot. */
  destination: string;
  unusableDestination: string;
  webhookSecret: string;
  tickets(): SimulatedTicket[];
  /** Somebody changes a ticket there; `state` is a name of the tracker's, default: its first done or open state. */
  setDone(externalId: string, done: boolean, state?: string): void;
  /** Somebody deletes a ticket there. */
  remove(externalId: string): void;
  /** Some code names the ticket there. */
  mention(externalId: string, reference: { kind: "commit" | "pull_request"; title: string }): void;
  /** Returns the delivery of the ticket's last change, signed as the tracker signs it, as it would be sent now. */
  delivery(externalId: string): { headers: Record<string, string>; body: string };
  /**
   * Decides over each API request. `drop`: nothing happens and the connection breaks; `lose`: it takes effect and the
   * connection breaks before the reply; `limit`: the reply is that of an exhausted rate limit, for a second; a number: a
   * reply with that status and the tracker's kind of error.
   */
  fault: (request: Received) => "drop" | "lose" | "limit" | number | undefined;
  /** Until a new ticket is in lists and searches, in ms. Reading it by its id always works. Default: 0. */
  lagMs: number;
  received: Received[];
  stop(): Promise<void>;
};
