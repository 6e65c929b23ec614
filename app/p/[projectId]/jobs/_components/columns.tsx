import { Button } from "@mantine/core";
import type { ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { formatCount, formatDuration, UNKNOWN } from "@/app/_lib/format";
import type { BackgroundJob } from "@/server/services/background-jobs/schemas";
import { JobState } from "./job-state";
import classes from "./jobs.module.css";
import { aboutWords, nameOf } from "./words";

type Options = {
  /** Absent for readers who may not. */
  onReplay: ((job: BackgroundJob) => void) | undefined;
  /** The job being replayed. */
  busyWith: string | undefined;
};

export const columnsOf = ({ onReplay, busyWith }: Options): ListColumn<BackgroundJob>[] => [
  {
    id: "state",
    header: "State",
    meta: { width: "7.5rem" },
    cell: ({ row }) => <JobState state={row.original.state} />,
  },
  {
    id: "job",
    header: "Job",
    meta: { link: true },
    cell: ({ row: { original } }) => (
      <>
        <span className={classes.name}>{nameOf(original)}</span>
        <Line job={original} />
      </>
    ),
  },
  {
    id: "about",
    header: "Target",
    meta: { width: "16rem", roomy: true, aside: true },
    cell: ({ row }) => aboutWords(row.original) ?? <span className={classes.dimmed}>The project</span>,
  },
  {
    id: "attempts",
    header: "Attempts",
    meta: { width: "5.75rem", align: "end", roomy: true, aside: true, sort: "server" },
    cell: ({ row: { original } }) => (
      <span className="tabular">{original.attempts === 0 ? UNKNOWN : formatCount(original.attempts)}</span>
    ),
  },
  {
    id: "took",
    header: "Duration",
    meta: { width: "5.5rem", align: "end", roomy: true, aside: true, sort: "server" },
    cell: ({ row: { original } }) => (
      <span className="tabular">
        {original.startedAt === null || original.finishedAt === null
          ? UNKNOWN
          : formatDuration(original.finishedAt - original.startedAt)}
      </span>
    ),
  },
  {
    id: "queued",
    header: "Queued",
    meta: { width: "6.5rem", align: "end", roomy: true, sort: "server" },
    cell: ({ row }) => <Ago at={row.original.createdAt} />,
  },
  {
    id: "actions",
    header: "",
    meta: { width: "6rem", controls: true },
    cell: ({ row: { original } }) =>
      onReplay && original.state === "failed" ? (
        <Button
          variant="default"
          size="compact-xs"
          loading={busyWith === original.id}
          onClick={() => onReplay(original)}
          aria-label={`Replay ${nameOf(original)}`}
        >
          Replay
        </Button>
      ) : null,
  },
];

/** The job's status in a line: when it resumes, or what went wrong. On a phone also what has no column there. */
function Line({ job }: { job: BackgroundJob }) {
  const { state, nextAt, error } = job;
  const message = error && (error.message || error.name);
  const resumes = nextAt !== null && (state === "retrying" || state === "sleeping");
  const about = aboutWords(job);
  return (
    <span className={classes.line} title={message ?? undefined}>
      <span className={classes.phoneOnly}>
        <Ago at={job.createdAt} />
        {about === null ? null : ` · ${about}`}
        {message || resumes ? " · " : null}
      </span>
      {resumes ? (
        <>
          {state === "retrying" ? "Next attempt" : "Resumes"} <Ago at={nextAt} />
          {message ? " · " : ""}
        </>
      ) : null}
      {message}
    </span>
  );
}
