import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import { pollList } from "@/app/_lib/trpc/poll-list";
import type { BackgroundJob } from "@/server/services/background-jobs/schemas";
import { listInput, type View } from "./view";

const PACE = { busyMs: 2500, idleMs: 6000 };

const isBusy = ({ state }: BackgroundJob) => state === "queued" || state === "running" || state === "retrying";

/** Returns the view's jobs and the counts of all; polls both faster while something is running. */
export function useJobs(projectId: string, view: View) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.backgroundJobs.list.infiniteQueryOptions(listInput(projectId, view), {
      ...nextPage,
      placeholderData: (previous) => previous,
      refetchInterval: pollList((page) => page.backgroundJobs.some(isBusy), PACE),
    }),
  );
  const jobs = list.data?.pages.flatMap((page) => page.backgroundJobs) ?? [];
  const { data } = useQuery(
    trpc.backgroundJobs.summary.queryOptions(
      { projectId },
      { refetchInterval: jobs.some(isBusy) ? PACE.busyMs : PACE.idleMs },
    ),
  );
  return { list, jobs, summary: data?.summary };
}
