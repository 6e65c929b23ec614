"use client";
import { Skeleton, Stack } from "@mantine/core";
import { IconMessageDots } from "@tabler/icons-react";
import Link from "next/link";
import { EmptyState } from "@/app/_components/feedback/empty-state";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { formatCount } from "@/app/_lib/format";
import type { TrainingJob } from "@/server/services/training/jobs/schemas";
import { isMoving } from "../../../_components/training/words";
import { exampleHref } from "../../../datasets/_components/view";
import classes from "./run-page.module.css";
import { runsOf, samplesOf } from "./samples-of";
import { useEvents } from "./use-events";

/** The model's answers to held-out Examples, before and during the training. */
export function Samples({ projectId, job }: { projectId: string; job: TrainingJob }) {
  const { events, error, complete, retry } = useEvents(projectId, job.id);
  const samples = samplesOf(events);
  if (samples.length === 0) {
    if (error) return <ErrorState error={error} onRetry={retry} />;
    if (!complete) {
      return (
        <Stack p="md" role="status" aria-label="Loading the samples">
          {[80, 60, 70].map((width) => (
            <Skeleton key={width} height={12} width={`${width}%`} />
          ))}
        </Stack>
      );
    }
    return (
      <EmptyState icon={IconMessageDots} title={isMoving(job) ? "No samples yet" : "No samples"}>
        At every evaluation the model answers a few Examples of the validation split, which it is not trained on.
        {job.validationManifest === null ? " This Dataset’s version has no validation split." : ""}
      </EmptyState>
    );
  }
  return (
    <ul className={classes.samples} aria-label="Samples">
      {samples.map(({ key, exampleId, question, expected, answers }) => (
        <li key={key}>
          <p className={classes.question} dir="auto">
            {question}
          </p>
          <ul className={classes.answers} aria-label="Answers">
            {runsOf(answers).map(({ text, first, last }, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a log only grows
              <li key={index}>
                <span className="tabular">{stepWords(first, last)}</span>
                <span dir="auto">{text === "" ? "An empty answer" : text}</span>
              </li>
            ))}
            {expected === null ? null : (
              <li>
                <span>
                  {exampleId === null ? (
                    "Expected"
                  ) : (
                    <Link href={exampleHref(projectId, job.datasetId, exampleId)}>Expected</Link>
                  )}
                </span>
                <span dir="auto">{expected}</span>
              </li>
            )}
          </ul>
        </li>
      ))}
    </ul>
  );
}

/** `Step 100`, or `Step 100 – 400` for the same answer in consecutive samples. */
const stepWords = (first: number | null, last: number | null) =>
  first === null
    ? "Answer"
    : last === null || last === first
      ? `Step ${formatCount(first)}`
      : `Step ${formatCount(first)} – ${formatCount(last)}`;
