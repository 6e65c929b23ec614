import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { useTRPC } from "@/app/_lib/trpc/client";

const BUSY_MS = 1500;

/** Returns the last measurement, and a function that requests a new one and polls until it is available. */
export function useStoredSize(projectId: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  /** The measurement present when a new one was requested; `undefined` if none was. */
  const [previousMeasuredAt, setPreviousMeasuredAt] = useState<number | null | undefined>();
  const query = useQuery(
    trpc.storage.get.queryOptions(
      { projectId },
      {
        refetchInterval: ({ state }) =>
          previousMeasuredAt !== undefined || state.data?.storage.measuring ? BUSY_MS : false,
      },
    ),
  );
  const measure = useMutation(
    trpc.storage.measure.mutationOptions({
      onSuccess: () => queries.invalidateQueries({ queryKey: trpc.storage.pathKey() }),
      onError: () => setPreviousMeasuredAt(undefined),
    }),
  );
  const storage = query.data?.storage;
  const isNewer = storage !== undefined && !storage.measuring && storage.measuredAt !== previousMeasuredAt;
  useEffect(() => {
    if (previousMeasuredAt !== undefined && isNewer) setPreviousMeasuredAt(undefined);
  }, [previousMeasuredAt, isNewer]);
  return {
    query,
    storage,
    measuring: (storage?.measuring ?? false) || previousMeasuredAt !== undefined,
    measureNow: () => {
      setPreviousMeasuredAt(storage?.measuredAt);
      measure.mutate({ projectId });
    },
    error: measure.error,
  };
}
