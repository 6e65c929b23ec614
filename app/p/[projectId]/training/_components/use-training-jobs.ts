import { useInfiniteQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import { nextCursorPage } from "@/app/_lib/trpc/next-page";
import { isMoving } from "../../_components/training/words";
import { listInput, type View } from "./view";

const BUSY_MS = 2000;
const IDLE_MS = 15_000;

/** Reads the view's jobs; polls faster while one of them is in progress. */
export function useTrainingJobs(projectId: string, view: View) {
  const trpc = useTRPC();
  const list = useInfiniteQuery(
    trpc.trainingJobs.list.infiniteQueryOptions(listInput(projectId, view), {
      ...nextCursorPage,
      placeholderData: (previous) => previous,
      refetchInterval: ({ state }) => {
        const pages = state.data?.pages ?? [];
        // Rows must stay in place for a reader further down a long list.
        if (pages.length > 1) return false;
        return pages.some((page) => page.jobs.some(isMoving)) ? BUSY_MS : IDLE_MS;
      },
    }),
  );
  return { list, jobs: list.data?.pages.flatMap((page) => page.jobs) ?? [] };
}
