"use client";
import { useInfiniteQuery } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Ago } from "@/app/_components/values/ago";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { REASON_WORDS } from "@/server/services/diagnostics/findings/schemas";
import { actorWords } from "../../../_components/access/actor-words";
import classes from "./finding-page.module.css";
import { ShowEarlier } from "./show-earlier";

type Event = RouterOutputs["findings"]["events"]["events"][number];

type Dismissal = { dismissalReason: keyof typeof REASON_WORDS | null; dismissedRate: number | null };

const PAGE = 20;

const after = ({ detail }: Event): Record<string, unknown> => (detail.after ?? {}) as Record<string, unknown>;

/** What happened, in a few words. */
const WORDS: Record<Event["kind"], (event: Event) => string> = {
  created: () => "First found",
  merged: ({ detail }) => (detail.into ? "Merged into another Finding" : "Another Finding was merged in"),
  split: ({ detail }) => (detail.from ? "Split off another Finding" : "A part was split off"),
  reviewed: (event) => (after(event).reviewStatus === "confirmed" ? "Confirmed" : "Back to review"),
  dismissed: (event) => {
    const { dismissalReason, dismissedRate } = after(event) as Partial<Dismissal>;
    if (dismissalReason) return `Dismissed as ${REASON_WORDS[dismissalReason]}`;
    return dismissedRate == null ? "Dismissed" : "Dismissed until it gets worse";
  },
  returned: () => "Came back: worse than when it was dismissed",
  resolved: () => "Resolved",
  reopened: () => "Unresolved",
  regressed: () => "Regressed: a later conversation shows it",
  escalating: () => "Escalating: well above its usual rate",
  calmed: () => "No longer escalating",
  severity: (event) =>
    after(event).pinnedSeverity == null
      ? "Severity back to automatic"
      : `Severity pinned to ${after(event).pinnedSeverity}`,
  assignee: (event) => (after(event).assigneeId == null ? "Unassigned" : "Assigned"),
  note: () => "Note added",
  undone: () => "Undone",
  fix_watched: ({ detail }) => `Watching a fix: ${detail.value ?? "the next version"}`,
  fix_proven: () => "The fix is proven: the rate fell",
  fix_not_proven: () => "The fix is not proven: the rate has not halved",
  handed_off: ({ detail }) => `Handed off${detail.key ? `: ${detail.key}` : ""}`,
  detached: ({ detail }) => {
    const ticket = detail.key ? String(detail.key) : "the ticket";
    if (detail.as === "moved") return `Moved ${ticket} to another Finding`;
    return detail.as === "replaced" ? `Replaced ${ticket}` : `Abandoned ${ticket}`;
  },
};

/** The actor's name if it is a job: only tickets resolve or reopen a Finding by themselves. */
const JOBS: Partial<Record<Event["kind"], string>> = {
  resolved: "Its ticket",
  reopened: "Its ticket",
  handed_off: "A job",
  detached: "A job",
  fix_proven: "Conversations since",
  fix_not_proven: "Conversations since",
};

/** A merge is an event of both Findings; that of the Finding merged into this one only repeats it. */
const isTheOtherSide = ({ kind, findingId, detail }: Event, shownId: string) =>
  kind === "merged" && findingId !== shownId && detail.into !== undefined;

/** What happened to a Finding, newest first. */
export function History({ projectId, findingId }: { projectId: string; findingId: string }) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.findings.events.infiniteQueryOptions({ projectId, findingId, limit: PAGE }, nextPage),
  );
  const events = list.data?.pages.flatMap((page) => page.events.filter((event) => !isTheOtherSide(event, findingId)));
  if (!events) {
    return list.error ? (
      <ErrorState error={list.error} onRetry={() => void list.refetch()} retrying={list.isFetching} />
    ) : null;
  }
  return (
    <section>
      <h2 className={classes.heading}>History</h2>
      {events.length === 0 ? (
        <p className={classes.quiet}>Found before its history was recorded.</p>
      ) : (
        <ol className={classes.plainList}>
          {events.map((event) => (
            <li key={event.id} className={classes.plainItem}>
              <span className={classes.plainText} title={WORDS[event.kind](event)}>
                {WORDS[event.kind](event)}
              </span>
              <span className={classes.quiet}>
                {actorWords(event.actor, JOBS[event.kind] ?? "The Rules")}
                {event.origin === "backfill" ? ", in a backfill" : ""}, <Ago at={event.at} />
              </span>
            </li>
          ))}
        </ol>
      )}
      <ShowEarlier list={list}>Show earlier</ShowEarlier>
    </section>
  );
}
