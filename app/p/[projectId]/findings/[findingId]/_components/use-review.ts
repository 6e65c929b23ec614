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

/** What brings a Finding back to where it stood. A resolution, once there was one, can be turned but not unsaid. */
function inverseOf(before: Finding, change: Change): Change {
  if (before.reviewStatus === "dismissed") return { reviewStatus: "dismissed" };
  const resolution =
    before.resolutionStatus ?? (change.resolutionStatus === undefined ? undefined : ("unresolved" as const));
  return { reviewStatus: before.reviewStatus, ...(resolution ? { resolutionStatus: resolution } : {}) };
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
    const inverse = inverseOf(finding, change);
    update.mutate(
      { projectId, findingId: finding.id, ...change },
      {
        onSuccess: () => offer(said, () => update.mutate({ projectId, findingId: finding.id, ...inverse })),
      },
    );
  };
  return { apply, takeBack, busy: update.isPending };
}
