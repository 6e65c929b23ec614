"use client";
import { Button, Table } from "@mantine/core";
import Link from "next/link";
import { ListRow, ROOMY } from "@/app/_components/layout/list-frame";
import { Ago } from "@/app/_components/values/ago";
import { formatCount, formatDuration, UNKNOWN } from "@/app/_lib/format";
import type { BackgroundJob } from "@/server/services/background-jobs/schemas";
import { JobState } from "./job-state";
import classes from "./jobs.module.css";
import { aboutWords, nameOf } from "./words";

const COLUMNS = [
  { label: "State" },
  { label: "Job" },
  { label: "Works on", roomy: true, aside: true },
  { label: "Attempts", roomy: true, aside: true },
  { label: "Took", roomy: true, aside: true },
  { label: "Queued", roomy: true },
  { label: null },
];

/** Columns shown while a job is open next to the list. */
export const columnsOf = (beside: boolean) => COLUMNS.filter(({ aside }) => !(aside && beside));

/** The job's status in a line: when it resumes, or what went wrong. */
function Line({ job: { state, nextAt, error } }: { job: BackgroundJob }) {
  const message = error && (error.message || error.name);
  const resumes = nextAt !== null && (state === "retrying" || state === "sleeping");
  if (!message && !resumes) return null;
  return (
    <div className={classes.line} title={message ?? undefined}>
      {resumes ? (
        <>
          {state === "retrying" ? "Next attempt" : "Goes on"} <Ago at={nextAt} />
          {message ? " · " : ""}
        </>
      ) : null}
      {message}
    </div>
  );
}

type Props = {
  index: number;
  job: BackgroundJob;
  href: string;
  /** Whether it is open next to the list. */
  active: boolean;
  beside: boolean;
  onOpen: () => void;
  /** Absent for readers who may not. */
  onReplay?: (() => void) | undefined;
  replaying: boolean;
};

export function JobRow({ index, job, href, active, beside, onOpen, onReplay, replaying }: Props) {
  const about = aboutWords(job);
  const name = nameOf(job);
  return (
    <ListRow index={index} active={active} beside={beside} off={job.state === "cancelled"} onOpen={onOpen}>
      <Table.Td className={classes.stateCell}>
        <JobState state={job.state} />
      </Table.Td>
      <Table.Td className={classes.what}>
        <Link
          href={href}
          prefetch={false}
          className={classes.name}
          // The row opens it, as a click next to the name does.
          data-opens-row
          onClick={(event) => {
            if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) event.stopPropagation();
            else event.preventDefault();
          }}
        >
          {name}
        </Link>
        <Line job={job} />
        <div className={classes.phoneOnly}>
          <Ago at={job.createdAt} />
          {about === null ? null : ` · ${about}`}
        </div>
      </Table.Td>
      {beside ? null : (
        <>
          <Table.Td className={classes.about} {...ROOMY}>
            {about ?? <span className={classes.dimmed}>The project</span>}
          </Table.Td>
          <Table.Td className="tabular" {...ROOMY}>
            {job.attempts === 0 ? UNKNOWN : formatCount(job.attempts)}
          </Table.Td>
          <Table.Td className={`tabular ${classes.oneLine}`} {...ROOMY}>
            {job.startedAt === null || job.finishedAt === null
              ? UNKNOWN
              : formatDuration(job.finishedAt - job.startedAt)}
          </Table.Td>
        </>
      )}
      <Table.Td {...ROOMY}>
        <Ago at={job.createdAt} />
      </Table.Td>
      <Table.Td ta="end" className={classes.actionCell}>
        {onReplay && job.state === "failed" ? (
          <Button
            variant="default"
            size="compact-xs"
            loading={replaying}
            onClick={onReplay}
            aria-label={`Replay ${name}`}
          >
            Replay
          </Button>
        ) : null}
      </Table.Td>
    </ListRow>
  );
}
