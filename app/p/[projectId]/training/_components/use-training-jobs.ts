import { useInfiniteQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { pollList } from "@/app/_lib/trpc/poll-list";
import { isMoving } from "../../_components/training/words";
import { listInput, type View } from "./view";

/** Reads the view's jobs; polls faster while one of them is in progress. */
export function useTrainingJobs(projectId: string, view: View) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.trainingJobs.list.infiniteQueryOptions(listInput(projectId, view), {
      ...nextCursorPage,
      placeholderData: (previous) => previous,
      refetchInterval: pollList((page) => page.jobs.some(isMoving)),
    }),
  );
  return { list, jobs: list.data?.pages.flatMap((page) => page.jobs) ?? [] };
}
