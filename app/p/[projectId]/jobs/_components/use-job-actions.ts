"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ActionDone } from "@/app/_components/data-table/types";
import { useUndo } from "@/app/_components/feedback/use-undo";
import { plural } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { BackgroundJob } from "@/server/services/background-jobs/schemas";
import { nameOf } from "./words";

/** Replays and cancels jobs, and shows a toast. A cancellation can be undone for ten seconds. */
export function useJobActions(projectId: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { offer, undo } = useUndo();
  const handlers = {
    onError: (error: unknown) =>
      notifications.show({ color: "red", title: problemOf(error).title, message: problemOf(error).detail }),
    // Also after a refusal: the job is no longer in the state shown.
    onSettled: () => queries.invalidateQueries({ queryKey: trpc.backgroundJobs.pathKey() }),
  };
  const replayed = useMutation(trpc.backgroundJobs.replay.mutationOptions(handlers));
  const cancelled = useMutation(trpc.backgroundJobs.cancel.mutationOptions(handlers));
  const busy = replayed.isPending || cancelled.isPending;

  // Sends the end time that was shown, so that a second click, here or in another tab, has no effect.
  const asSeen = ({ id, finishedAt }: BackgroundJob) => ({
    projectId,
    backgroundJobId: id,
    ...(finishedAt === null ? {} : { finishedAt }),
  });
  const requeue = (job: BackgroundJob, said: string) =>
    replayed.mutate(asSeen(job), { onSuccess: () => void notifications.show({ message: said }) });
  return {
    undo,
    busyWith: busy ? (replayed.isPending ? replayed.variables : cancelled.variables)?.backgroundJobId : undefined,
    /** As an action of a list, on any number of jobs. */
    replayAll: async (jobs: readonly BackgroundJob[]): Promise<ActionDone> => {
      await Promise.all(jobs.map((job) => replayed.mutateAsync(asSeen(job))));
      const [only] = jobs;
      return {
        said:
          jobs.length === 1 && only
            ? `“${nameOf(only)}” is queued again`
            : `${plural(jobs.length, "job")} are queued again`,
      };
    },
    replay: (job: BackgroundJob) => {
      if (!busy) requeue(job, `"${nameOf(job)}" is queued again.`);
    },
    cancel: (job: BackgroundJob) => {
      if (busy) return;
      cancelled.mutate(
        { projectId, backgroundJobId: job.id },
        {
          onSuccess: ({ backgroundJob }) =>
            offer(`"${nameOf(job)}" is cancelled.`, () => requeue(backgroundJob, `"${nameOf(job)}" is queued again.`)),
        },
      );
    },
  };
}
export type JobActions = ReturnType<typeof useJobActions>;
