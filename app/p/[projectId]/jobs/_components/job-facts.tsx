"use client";
import { DataList } from "@mantine/core";
import { AgoOr } from "@/app/_components/values/ago";
import { ExactTime } from "@/app/_components/values/exact-time";
import { Fact } from "@/app/_components/values/fact";
import { IdText } from "@/app/_components/values/id-text";
import { formatCount, formatDuration, UNKNOWN } from "@/app/_lib/format";
import type { BackgroundJobDetail } from "@/server/services/background-jobs/schemas";
import { ErrorText } from "./error-text";
import { JobState, STATE } from "./job-state";
import { JobSubjects } from "./job-subjects";
import classes from "./jobs.module.css";

const RESUMES: Partial<Record<BackgroundJobDetail["state"], string>> = {
  retrying: "Next attempt",
  sleeping: "Resumes",
  waiting: "Waits until",
};

/** A job's details: state, error, subjects and times. */
export function JobFacts({ projectId, job }: { projectId: string; job: BackgroundJobDetail }) {
  const resumes = RESUMES[job.state];
  return (
    <>
      {job.error ? <ErrorText error={job.error} label="What went wrong" /> : null}
      <DataList size="sm" gap={6} labelWidth={110}>
        <Fact label="State">
          <JobState state={job.state} />
          <div className={classes.says}>{STATE[job.state].says}.</div>
        </Fact>
        {resumes && job.nextAt !== null ? (
          <Fact label={resumes}>
            <ExactTime at={job.nextAt} /> (<AgoOr at={job.nextAt} otherwise="" />)
          </Fact>
        ) : null}
        <Fact label="Attempts">{job.attempts === 0 ? "Not started yet" : formatCount(job.attempts)}</Fact>
        <JobSubjects projectId={projectId} job={job} />
        <Fact label="Queued">
          <ExactTime at={job.createdAt} />
        </Fact>
        <Fact label="Started">
          <ExactTime at={job.startedAt} />
        </Fact>
        <Fact label="Ended">
          <ExactTime at={job.finishedAt} />
        </Fact>
        <Fact label="Duration">
          {job.startedAt === null || job.finishedAt === null ? UNKNOWN : formatDuration(job.finishedAt - job.startedAt)}
        </Fact>
        <Fact label="Function" mono>
          {job.functionId}
        </Fact>
        <Fact label="Triggered by" mono>
          {job.eventName}
        </Fact>
        <Fact label="ID">
          <IdText id={job.id} />
        </Fact>
      </DataList>
    </>
  );
}
