import { randomUUID } from "node:crypto";
import type { SimulatedTicket } from "./simulated-tracker";

/** A ticket and its history. Times are Unix ms. */
export type StoredTicket = Omit<SimulatedTicket, "externalId" | "key" | "comments"> & {
  number: number;
  /** GitHub lists pull requests as issues too. */
  isPullRequest: boolean;
  stateReason: string | null;
  comments: { id: number; body: string; system: boolean; at: number }[];
  mentions: { kind: "commit" | "pull_request"; title: string; sha: string; number: number; at: number }[];
  createdAt: number;
  updatedAt: number;
  closedAt: number | null;
  isRemoved: boolean;
  /** The last change, and its delivery. */
  change: { action: string; deliveryId: string };
};

/** The tickets of a simulated tracker with one repository. `states`: its names for open and done. */
export function ticketStore(repository: string, states: { open: string; done: string }) {
  const tickets: StoredTicket[] = [];
  let ids = 1000;
  const found = (number: string | number) =>
    tickets.find((ticket) => ticket.number === Number(number) && !ticket.isRemoved);
  const changed = (ticket: StoredTicket, action: string) => {
    ticket.updatedAt = Date.now();
    ticket.change = { action, deliveryId: randomUUID() };
    return ticket;
  };

  return {
    tickets,
    found,
    changed,
    create({ title = "A ticket", body = "", labels = [] as string[], isPullRequest = false }) {
      const now = Date.now();
      const ticket: StoredTicket = {
        number: tickets.length + 1,
        title,
        body,
        labels,
        isPullRequest,
        state: states.open,
        isDone: false,
        stateReason: null,
        comments: [],
        mentions: [],
        createdAt: now,
        updatedAt: now,
        closedAt: null,
        isRemoved: false,
        change: { action: "opened", deliveryId: randomUUID() },
      };
      tickets.push(ticket);
      return ticket;
    },
    setDone(ticket: StoredTicket, done: boolean, stateReason: string | null) {
      ticket.isDone = done;
      ticket.state = done ? states.done : states.open;
      ticket.stateReason = stateReason;
      ticket.closedAt = done ? Date.now() : null;
      return changed(ticket, done ? "closed" : "reopened");
    },
    comment(ticket: StoredTicket, body: string, system = false) {
      const comment = { id: ++ids, body, system, at: Date.now() };
      ticket.comments.push(comment);
      changed(ticket, "commented");
      return comment;
    },
    mention(ticket: StoredTicket, { kind, title }: { kind: "commit" | "pull_request"; title: string }) {
      const sha = randomUUID().replaceAll("-", "").padEnd(40, "0");
      const mention = { kind, title, sha, number: ++ids, at: Date.now() };
      ticket.mentions.push(mention);
      return mention;
    },
    shown: (): SimulatedTicket[] =>
      tickets
        .filter(({ isRemoved, isPullRequest }) => !isRemoved && !isPullRequest)
        .map(({ number, title, body, state, isDone, labels, comments }) => ({
          externalId: String(number),
          key: `${repository}#${number}`,
          title,
          body,
          state,
          isDone,
          labels,
          comments: comments.filter(({ system }) => !system).map((comment) => comment.body),
        })),
  };
}
export type TicketStore = ReturnType<typeof ticketStore>;
