"use client";
import { Text, Title } from "@mantine/core";
import { Ago } from "@/app/_components/values/ago";
import { formatDuration, plural } from "@/app/_lib/format";
import type { BackgroundJobDetail, BackgroundJobStep } from "@/server/services/background-jobs/schemas";
import { ErrorText } from "./error-text";
import { JobState } from "./job-state";
import classes from "./jobs.module.css";

const KINDS = { step: null, sleep: "a pause", wait: "waits for an event", invoke: "another function" } as const;

/** The job's completed steps, in order of completion. */
export function JobSteps({ job }: { job: BackgroundJobDetail }) {
  return (
    <section aria-labelledby="job-steps">
      <Title order={3} id="job-steps" mb={6}>
        Steps
      </Title>
      {job.steps.length === 0 ? (
        <Text size="sm" c="dimmed">
          {job.startedAt === null ? "None yet: it has not started." : "None reported yet."}
        </Text>
      ) : (
        <ol className={classes.steps}>
          {job.steps.map((step) => (
            <Step key={step.id} step={step} of={job} />
          ))}
        </ol>
      )}
    </section>
  );
}

function Step({ step, of }: { step: BackgroundJobStep; of: BackgroundJobDetail }) {
  const { name, kind, state, attempts, startedAt, finishedAt, nextAt, error } = step;
  const facts = [
    KINDS[kind],
    attempts > 1 ? plural(attempts, "attempt") : null,
    finishedAt === null ? null : formatDuration(finishedAt - startedAt),
  ].filter((fact) => fact !== null);
  return (
    <li className={classes.step}>
      <div className={classes.stepHead}>
        <span className="mono">{name}</span>
        <JobState state={state} />
      </div>
      {facts.length > 0 || (finishedAt === null && nextAt !== null) ? (
        <div className={`tabular ${classes.says}`}>
          {facts.join(" · ")}
          {finishedAt === null && nextAt !== null ? (
            <>
              {facts.length > 0 ? " · " : ""}
              {state === "retrying" ? "next attempt " : "until "}
              <Ago at={nextAt} />
            </>
          ) : null}
        </div>
      ) : null}
      {error && error.message !== of.error?.message ? <ErrorText error={error} label={`Error of ${name}`} /> : null}
    </li>
  );
}
