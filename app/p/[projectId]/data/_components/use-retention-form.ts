import { notifications } from "@mantine/notifications";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { plural } from "@/app/_lib/format";
import { fieldProblem } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc/client";
import { RETENTION_CEILING_DAYS, RETENTION_FLOOR_DAYS } from "@/server/services/retention/schemas";

const FIRST_OFFER_DAYS = 90;

/** Holds the typed value, given the current `days`; only a number whose preview was shown can be saved. */
export function useRetentionForm(projectId: string, days: number | null) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const [forEver, setForEver] = useState(days === null);
  const [number, setNumber] = useState<number | string>(days ?? FIRST_OFFER_DAYS);
  /** The number whose preview was requested. */
  const [previewed, setPreviewed] = useState<number | null>(null);
  const chosen = Number(number);
  const fits =
    number !== "" && Number.isInteger(chosen) && chosen >= RETENTION_FLOOR_DAYS && chosen <= RETENTION_CEILING_DAYS;
  const preview = useQuery(
    trpc.retention.preview.queryOptions(
      { projectId, days: previewed ?? RETENTION_FLOOR_DAYS },
      { enabled: previewed !== null },
    ),
  );
  const update = useMutation(
    trpc.retention.update.mutationOptions({
      onSuccess: (reply) => {
        queries.setQueryData(trpc.retention.get.queryKey({ projectId }), reply);
        const kept = reply.retention.days;
        notifications.show({
          message: `Conversations are now kept ${kept === null ? "forever" : `for ${plural(kept, "day")}`}.`,
        });
      },
    }),
  );
  const seen = !forEver && previewed === chosen && !preview.isFetching ? preview.data?.preview : undefined;
  return {
    forEver,
    number,
    chosen,
    fits,
    seen,
    changed: forEver ? days !== null : days !== chosen,
    setForEver: (next: boolean) => {
      setForEver(next);
      update.reset();
    },
    setNumber: (next: number | string) => {
      setNumber(next);
      update.reset();
    },
    look: () => {
      if (forEver || !fits || seen) return;
      // Requesting the same number again recounts.
      if (previewed === chosen) void preview.refetch();
      setPreviewed(chosen);
    },
    looking: preview.isFetching,
    save: () => update.mutate({ projectId, days: forEver ? null : chosen }),
    saving: update.isPending,
    numberProblem:
      fieldProblem(update.error, "/days") ??
      fieldProblem(preview.error, "/days") ??
      (fits ? undefined : `A whole number from ${RETENTION_FLOOR_DAYS} to ${RETENTION_CEILING_DAYS}.`),
    previewError: !forEver && previewed === chosen ? preview.error : null,
    saveError: fieldProblem(update.error, "/days") === null ? update.error : null,
  };
}
