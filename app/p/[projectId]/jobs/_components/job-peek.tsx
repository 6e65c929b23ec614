"use client";
import { Button, Group, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { ErrorState } from "@/app/_components/feedback/error-state";
import { StaleNote } from "@/app/_components/feedback/stale-note";
import { PeekPanel } from "@/app/_components/layout/peek-panel";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { BackgroundJobDetail } from "@/server/services/background-jobs/schemas";
import { useMay } from "../../_components/access/membership";
import { JobFacts } from "./job-facts";
import { JobSteps } from "./job-steps";
import type { JobActions } from "./use-job-actions";
import { nameOf } from "./words";

const LIVE_MS = 2500;

type Props = { projectId: string; jobId: string; actions: JobActions; onClose: () => void };

export function JobPeek({ projectId, jobId, actions, onClose }: Props) {
  const trpc = useTRPC();
  const { data, error, refetch, isFetching, dataUpdatedAt } = useQuery(
    trpc.backgroundJobs.get.queryOptions(
      { projectId, backgroundJobId: jobId },
      { refetchInterval: (query) => (query.state.data?.backgroundJob.finishedAt === null ? LIVE_MS : false) },
    ),
  );
  const job = data?.backgroundJob;
  return (
    <PeekPanel label="Job" title={job ? nameOf(job) : "Job"} onClose={onClose}>
      {job ? (
        <>
          <StaleNote error={error} dataUpdatedAt={dataUpdatedAt} onRetry={() => void refetch()} />
          <Stack p="md" gap="lg">
            <Actions job={job} actions={actions} />
            <JobFacts projectId={projectId} job={job} />
            <JobSteps job={job} />
          </Stack>
        </>
      ) : error ? (
        <ErrorState error={error} onRetry={() => void refetch()} retrying={isFetching} />
      ) : (
        <Stack p="md" role="status" aria-label="Loading the job">
          {[80, 60, 70].map((width) => (
            <Skeleton key={width} height={12} width={`${width}%`} />
          ))}
        </Stack>
      )}
    </PeekPanel>
  );
}

/** The available actions, or why there are none. */
function Actions({ job, actions }: { job: BackgroundJobDetail; actions: JobActions }) {
  const may = useMay("project:admin");
  const can = job.replayable ? "replay" : job.cancellable ? "cancel" : null;
  if (can !== null && may) {
    return (
      <Group>
        <Button
          variant={can === "replay" ? "filled" : "default"}
          loading={actions.busyWith === job.id}
          onClick={() => actions[can](job)}
        >
          {can === "replay" ? "Replay" : "Cancel this job"}
        </Button>
      </Group>
    );
  }
  const why =
    can !== null
      ? `An owner can ${can} it.`
      : job.state === "running"
        ? "It is running; it can be cancelled while it waits."
        : job.finishedAt === null
          ? "It can’t be cancelled, because stopping halfway would leave inconsistent data."
          : null;
  return why === null ? null : (
    <Text size="sm" c="dimmed">
      {why}
    </Text>
  );
}
