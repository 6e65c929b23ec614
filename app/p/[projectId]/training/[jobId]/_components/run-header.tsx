"use client";
import { Button } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import Link from "next/link";
import { useRouter } from "next/navigation";
import { useState } from "react";
import { BackLink } from "@/app/_components/layout/back-link";
import { PageHeader } from "@/app/_components/layout/page-header";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Checkpoint } from "@/server/services/models/checkpoints/schemas";
import type { TrainingJob } from "@/server/services/training/jobs/schemas";
import { useMay } from "../../../_components/access/membership";
import { StartEvaluation } from "../../../_components/evaluations/start-evaluation";
import { CancelJob } from "../../../_components/training/cancel-job";
import { DeleteTraining } from "../../../_components/training/delete-training";
import { newTrainingHref } from "../../../_components/training/hrefs";
import { isUsable } from "../../../_components/training/is-usable";
import { JobStatus } from "../../../_components/training/job-status";
import { canCancel, canPause, isUnfinished } from "../../../_components/training/words";
import { ResumeJob } from "./resume-job";
import classes from "./run-page.module.css";

type Props = { projectId: string; job: TrainingJob; checkpoints: readonly Checkpoint[]; listHref: string };

/** A run's name and status, and what can be done with it. */
export function RunHeader({ projectId, job, checkpoints, listHref }: Props) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const router = useRouter();
  const may = useMay("models:manage");
  const [asking, setAsking] = useState<"cancel" | "resume" | "compare" | "delete" | null>(null);
  const pause = useMutation(
    trpc.trainingJobs.pause.mutationOptions({
      onSuccess: () => notifications.show({ message: `Pausing “${job.name}”` }),
      onError: (error) =>
        notifications.show({ color: "red", title: problemOf(error).title, message: problemOf(error).detail }),
      onSettled: () => queries.invalidateQueries({ queryKey: trpc.trainingJobs.pathKey() }),
    }),
  );
  return (
    <>
      <PageHeader
        title={
          <span className={classes.title}>
            <BackLink href={listHref} label="All runs" />
            <span className="clip" dir="auto" title={job.name}>
              {job.name}
            </span>
          </span>
        }
        aside={
          may ? (
            <>
              {canPause(job) ? (
                <Button
                  variant="default"
                  loading={pause.isPending}
                  onClick={() => pause.mutate({ projectId, jobId: job.id })}
                >
                  Pause
                </Button>
              ) : null}
              {checkpoints.some(isUsable) ? (
                <Button variant="default" onClick={() => setAsking("compare")}>
                  Compare…
                </Button>
              ) : null}
              {job.canResume ? <Button onClick={() => setAsking("resume")}>Resume…</Button> : null}
              <Button component={Link} variant="default" href={newTrainingHref(projectId, { clone: job.id })}>
                Clone
              </Button>
              {canCancel(job) ? (
                <Button variant="default" onClick={() => setAsking("cancel")}>
                  Cancel…
                </Button>
              ) : null}
              {isUnfinished(job) ? null : (
                <Button variant="default" onClick={() => setAsking("delete")}>
                  Delete…
                </Button>
              )}
            </>
          ) : null
        }
      >
        <JobStatus job={job} />
      </PageHeader>
      <CancelJob
        projectId={projectId}
        job={asking === "cancel" && isUnfinished(job) ? job : null}
        onClose={() => setAsking(null)}
      />
      <DeleteTraining
        projectId={projectId}
        subject={asking === "delete" ? { kind: "job", id: job.id, name: job.name } : null}
        onClose={() => setAsking(null)}
        onDeleted={() => router.push(listHref)}
      />
      <StartEvaluation
        projectId={projectId}
        subject={asking === "compare" ? { jobId: job.id } : null}
        onClose={() => setAsking(null)}
      />
      <ResumeJob
        projectId={projectId}
        job={asking === "resume" ? job : null}
        checkpoints={checkpoints}
        onClose={() => setAsking(null)}
      />
    </>
  );
}
