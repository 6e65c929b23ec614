import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextPage } from "@/app/_lib/trpc/next-page";
import type { BackgroundJob } from "@/server/services/background-jobs/schemas";
import { listInput, type View } from "./view";

const BUSY_MS = 2500;
const IDLE_MS = 6000;

const isBusy = ({ state }: BackgroundJob) => state === "queued" || state === "running" || state === "retrying";

/** Returns the view's jobs and the counts of all; polls both faster while something is running. */
export function useJobs(projectId: string, view: View) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.backgroundJobs.list.infiniteQueryOptions(listInput(projectId, view), {
      ...nextPage,
      placeholderData: (previous) => previous,
      refetchInterval: (query) => {
        const pages = query.state.data?.pages ?? [];
        // Rows must stay in place for a reader further down a long list.
        if (pages.length > 1) return false;
        return pages.some((page) => page.backgroundJobs.some(isBusy)) ? BUSY_MS : IDLE_MS;
      },
    }),
  );
  const jobs = list.data?.pages.flatMap((page) => page.backgroundJobs) ?? [];
  const { data } = useQuery(
    trpc.backgroundJobs.summary.queryOptions({ projectId }, { refetchInterval: jobs.some(isBusy) ? BUSY_MS : IDLE_MS }),
  );
  return { list, jobs, summary: data?.summary };
}
