import { Button } from "@mantine/core";
import type { Fold, ListColumn } from "@/app/_components/data-table/types";
import { Ago } from "@/app/_components/values/ago";
import { formatCount, formatDuration, UNKNOWN } from "@/app/_lib/format";
import type { BackgroundJob } from "@/server/services/background-jobs/schemas";
import { JobState } from "./job-state";
import { JobTarget } from "./job-target";
import classes from "./jobs.module.css";
import { nameOf, subjectWords } from "./words";

type Options = {
  projectId: string;
  /** Absent for readers who may not, and where no job has failed. */
  onReplay: ((job: BackgroundJob) => void) | undefined;
  /** The job being replayed. */
  busyWith: string | undefined;
};

export const columnsOf = ({ projectId, onReplay, busyWith }: Options): ListColumn<BackgroundJob>[] => [
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
    cell: ({ row }) => <JobTarget projectId={projectId} job={row.original} />,
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
  // Left out where it would be empty: on a phone it takes a quarter of the width.
  ...(onReplay ? [replayColumn(onReplay, busyWith)] : []),
];

const replayColumn = (
  onReplay: NonNullable<Options["onReplay"]>,
  busyWith: Options["busyWith"],
): ListColumn<BackgroundJob> => ({
  id: "actions",
  header: "",
  meta: { width: "6rem", controls: true },
  cell: ({ row: { original } }) =>
    original.state === "failed" ? (
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
});

/** Folds completed jobs, whatever their function. */
export const COMPLETED: Fold<BackgroundJob> = {
  of: ({ state }) => (state === "completed" ? state : null),
  words: (jobs) => (
    <>
      <b>{formatCount(jobs.length)} completed</b> {functionsOf(jobs)}
    </>
  ),
  at: ({ createdAt }) => createdAt,
};

const FUNCTIONS_SHOWN = 3;

/** Returns the jobs' functions, most frequent first: "Execute Rule Runs (9), Send an e-mail". */
function functionsOf(jobs: readonly BackgroundJob[]) {
  const counts = new Map<string, number>();
  for (const job of jobs) counts.set(nameOf(job), (counts.get(nameOf(job)) ?? 0) + 1);
  const names = [...counts].sort(([, a], [, b]) => b - a);
  const shown = names.slice(0, FUNCTIONS_SHOWN).map(([name, count]) => (count === 1 ? name : `${name} (${count})`));
  return [...shown, ...(names.length > FUNCTIONS_SHOWN ? ["others"] : [])].join(", ");
}

/** The job's status in a line: when it resumes, or what went wrong. On a phone, also the values whose columns are hidden. */
function Line({ job }: { job: BackgroundJob }) {
  const { state, nextAt, error } = job;
  const message = error && (error.message || error.name);
  const resumes = nextAt !== null && (state === "retrying" || state === "sleeping");
  const subject = subjectWords(job);
  return (
    <span className={classes.line} title={message ?? undefined}>
      <span className={classes.phoneOnly}>
        <Ago at={job.createdAt} />
        {subject === null ? null : ` · ${subject}`}
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
