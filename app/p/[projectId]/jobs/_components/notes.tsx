"use client";
import { Anchor, Button } from "@mantine/core";
import { Ago } from "@/app/_components/values/ago";
import { Dot } from "@/app/_components/values/dot";
import { useNow } from "@/app/_components/values/now";
import type { BackgroundJobSummary } from "@/server/services/background-jobs/schemas";
import classes from "./jobs.module.css";
import { countOf, countWords } from "./view";

/** A due job starts within seconds, unless no worker is running. */
const LATE_MS = 60_000;

type Props = {
  summary: BackgroundJobSummary;
  /** Whether the reader may replay jobs here. */
  may: boolean;
  /** Absent if they are already shown. */
  onShow?: (() => void) | undefined;
  onReplay: () => void;
};

/** Alerts above the list: jobs that failed permanently, and due jobs that no worker starts. */
export function Notes({ summary, may, onShow, onReplay }: Props) {
  const now = useNow();
  const failed = countOf(summary, "failed");
  const late = summary.oldestDueAt !== null && now - summary.oldestDueAt > LATE_MS;
  return (
    <>
      {summary.engine === "inngest" ? (
        <div className={classes.note}>
          <span>
            Jobs run on an Inngest server and are listed there
            {summary.dashboardUrl === null ? null : (
              <>
                {": "}
                <Anchor href={summary.dashboardUrl} target="_blank" rel="noreferrer" fz="sm">
                  open its dashboard
                </Anchor>
              </>
            )}
            .{" "}
            {summary.engineChange ? (
              <>
                Earlier jobs, until <Ago at={summary.engineChange.at} />, are listed below.
              </>
            ) : (
              "Earlier jobs are listed here."
            )}
          </span>
        </div>
      ) : summary.engineChange ? (
        <div className={classes.note}>
          <span>
            An Inngest server ran the jobs until <Ago at={summary.engineChange.at} />. What it left unfinished is queued
            here again.
          </span>
        </div>
      ) : null}
      {late ? (
        <div className={classes.note} role="status">
          <Dot color="var(--severity-medium)">
            <span className={classes.noteText}>
              The oldest waiting job has been due since <Ago at={summary.oldestDueAt} />. Jobs start one after another;
              if none finishes, check the server.
            </span>
          </Dot>
        </div>
      ) : null}
      {failed.count > 0 ? (
        <div className={classes.note}>
          <Dot color="var(--severity-critical)">
            <span className={classes.noteText}>
              <strong>
                {countWords(failed)} {failed.count === 1 ? "job" : "jobs"} failed with no retries left.
              </strong>{" "}
              {summary.engine === "inngest"
                ? "Only the embedded engine can replay jobs from before the Inngest server."
                : may
                  ? "Once the cause is fixed, replay: completed steps are kept."
                  : "Once the cause is fixed, an owner can replay."}
            </span>
          </Dot>
          <span className={classes.noteActions}>
            {onShow ? (
              <Button variant="default" size="compact-xs" onClick={onShow}>
                Show
              </Button>
            ) : null}
            {may ? (
              <Button variant="default" size="compact-xs" onClick={onReplay}>
                Replay all…
              </Button>
            ) : null}
          </span>
        </div>
      ) : null}
    </>
  );
}
