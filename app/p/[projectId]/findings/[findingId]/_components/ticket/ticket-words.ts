import type { RouterOutputs } from "@/app/_lib/trpc/client";

export type WorkItem = RouterOutputs["workItems"]["listOfFinding"]["workItems"][number];
export type TicketChange = RouterOutputs["workItems"]["changes"]["changes"][number];

const LINKED: readonly WorkItem["state"][] = ["pending", "open", "closed", "failed"];
/** Returns whether it is the Finding's current work item, not a former one. */
export const isLinked = ({ state }: Pick<WorkItem, "state">) => LINKED.includes(state);

/** Returns how messages name a ticket. */
export const ticketName = ({ externalKey, destination }: Pick<WorkItem, "externalKey" | "destination">) =>
  externalKey ?? `the ticket in ${destination}`;

/** Returns whether something failed that a retry may fix, unlike a ticket that was deleted in the tracker. */
export const mayRetry = (
  { state, externalId }: Pick<WorkItem, "state" | "externalId">,
  changes: readonly Pick<TicketChange, "kind" | "state">[],
) =>
  state === "failed"
    ? externalId === null
    : changes.some((change) => change.state === "failed" && change.kind !== "create");

/** Returns the result of a retry in words; `key` is the ticket's current key. */
export function retriedWords(item: Pick<WorkItem, "state" | "externalKey" | "destination">, key: string | null) {
  if (item.state !== "failed") return `Retried the changes to ${ticketName(item)}`;
  return key === null ? `Queued ${ticketName(item)}: the tracker has not replied yet` : `Created ${key}`;
}

const REASONS: Record<NonNullable<TicketChange["reason"]>, string> = {
  handed_off: "handed off",
  regressed: "seen again",
  reopened: "unresolved here",
  resolved: "resolved here",
  dismissed: "dismissed here",
  merged: "merged into another Finding",
  fix_proven: "the fix is proven",
  fix_not_proven: "the fix is not proven",
};

/** The words for a change that was made or seen, and for one that has yet to be made. */
const KINDS: Record<TicketChange["kind"], { done: string; todo: string }> = {
  create: { done: "Created the ticket", todo: "Create the ticket" },
  comment: { done: "Commented", todo: "Comment" },
  close: { done: "Closed it", todo: "Close it" },
  reopen: { done: "Reopened it", todo: "Reopen it" },
  seen_closed: { done: "Closed in the tracker", todo: "Closed in the tracker" },
  seen_open: { done: "Reopened in the tracker", todo: "Reopened in the tracker" },
  seen_gone: { done: "Deleted in the tracker", todo: "Deleted in the tracker" },
};

/** Returns a line of the sync log: "Reopened it: seen again". */
export function changeWords({ kind, state, reason, error }: Pick<TicketChange, "kind" | "state" | "reason" | "error">) {
  const what = KINDS[kind][state === "done" ? "done" : "todo"];
  const why = reason === null || kind === "create" ? "" : `: ${REASONS[reason]}`;
  const outcome = {
    done: "",
    queued: " – queued",
    failed: ` – not sent${error === null ? "" : `: ${error}`}`,
    skipped: " – no longer needed",
  }[state];
  return `${what}${why}${outcome}`;
}
