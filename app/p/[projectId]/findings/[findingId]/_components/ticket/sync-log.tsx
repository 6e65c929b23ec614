"use client";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { Ago } from "@/app/_components/values/ago";
import { plural } from "@/app/_lib/format";
import classes from "../finding-page.module.css";
import { ShowEarlier } from "../show-earlier";
import { changeWords, type TicketChange } from "./ticket-words";

type Props = {
  list: {
    error: unknown;
    isFetching: boolean;
    refetch: () => unknown;
    hasNextPage: boolean;
    isFetchingNextPage: boolean;
    fetchNextPage: () => unknown;
  };
  changes: readonly TicketChange[];
};

/** What was done to a ticket, what is queued, and what was seen in the tracker, newest first. */
export function SyncLog({ list, changes }: Props) {
  if (changes.length === 0) {
    return list.error ? (
      <ErrorState error={list.error} onRetry={() => void list.refetch()} retrying={list.isFetching} />
    ) : null;
  }
  return (
    <details className={classes.log}>
      <summary>
        Sync log{" "}
        <span className={classes.quiet}>
          {plural(changes.length, "entry")}
          {list.hasNextPage ? " or more" : ""}
        </span>
      </summary>
      <ol className={classes.plainList} aria-label="Sync log">
        {changes.map((change) => (
          <li key={change.id} className={classes.plainItem}>
            <span className={classes.logText} data-failed={change.state === "failed" || undefined}>
              {changeWords(change)}
            </span>
            <span className={classes.quiet}>
              <Ago at={change.doneAt ?? change.createdAt} />
            </span>
          </li>
        ))}
      </ol>
      <ShowEarlier list={list}>Show earlier</ShowEarlier>
    </details>
  );
}
