import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import { isMoving } from "../../../_components/training/words";

const LIVE_MS = 1500;
const IDLE_MS = 15_000;

/** Reads a job; polls faster while it is in progress. */
export function useRun(projectId: string, jobId: string) {
  const trpc = useTRPC();
  return useQuery(
    trpc.trainingJobs.get.queryOptions(
      { projectId, jobId },
      {
        refetchInterval: ({ state }) => (state.data && isMoving(state.data.job) ? LIVE_MS : IDLE_MS),
      },
    ),
  );
}
