"use client";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useUndo } from "@/app/_components/use-undo";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc";
import type { Finding } from "@/server/services/diagnostics/schemas";

export type Change = {
  reviewStatus?: Finding["reviewStatus"];
  resolutionStatus?: NonNullable<Finding["resolutionStatus"]>;
};

/**
 * The changes that bring a Finding back to where it stood. A resolution, once there was one, can be turned but not unsaid;
 * dismissing clears it, so that one that a dismissed Finding had is set again after.
 */
function inverseOf(before: Finding, change: Change): [Change, ...Change[]] {
  const { reviewStatus, resolutionStatus } = before;
  if (reviewStatus === "dismissed") return [{ reviewStatus }, ...(resolutionStatus ? [{ resolutionStatus }] : [])];
  const resolution = resolutionStatus ?? (change.resolutionStatus === undefined ? undefined : ("unresolved" as const));
  return [{ reviewStatus, ...(resolution ? { resolutionStatus: resolution } : {}) }];
}

/** Changes a Finding, says so, and can take it back for ten seconds. */
export function useReview(projectId: string, finding: Finding) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { offer, takeBack } = useUndo();
  const update = useMutation(
    trpc.findings.update.mutationOptions({
      onSuccess: (reply, { findingId }) => {
        queries.setQueryData(trpc.findings.get.queryKey({ projectId, findingId }), reply);
        void queries.invalidateQueries({ queryKey: trpc.findings.pathKey() });
        void queries.invalidateQueries({ queryKey: trpc.conversations.pathKey() });
      },
      onError: (error) =>
        notifications.show({ color: "red", title: problemOf(error).title, message: problemOf(error).detail }),
    }),
  );

  const apply = (change: Change, said: string) => {
    if (update.isPending) return;
    const ask = (wanted: Change, onSuccess?: () => void) =>
      update.mutate({ projectId, findingId: finding.id, ...wanted }, onSuccess ? { onSuccess } : {});
    const [first, second] = inverseOf(finding, change);
    ask(change, () => offer(said, () => ask(first, second && (() => ask(second)))));
  };
  return { apply, takeBack, busy: update.isPending };
}
