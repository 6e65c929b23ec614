"use client";
import { Button, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useRef } from "react";
import { problemOf } from "@/app/_lib/problem";
import { useTRPC } from "@/app/_lib/trpc";
import type { Finding } from "@/server/services/diagnostics/schemas";

const UNDO_MS = 10_000;

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
  const undo = useRef<{ change: Change; toast: string; until: number } | null>(null);
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

  const takeBack = () => {
    const kept = undo.current;
    if (!kept || kept.until < Date.now() || update.isPending) return;
    undo.current = null;
    notifications.hide(kept.toast);
    update.mutate({ projectId, findingId: finding.id, ...kept.change });
  };
  const apply = (change: Change, said: string) => {
    if (update.isPending) return;
    const inverse = inverseOf(finding, change);
    update.mutate(
      { projectId, findingId: finding.id, ...change },
      {
        onSuccess: () => {
          const toast = notifications.show({
            autoClose: UNDO_MS,
            message: (
              <Group justify="space-between" wrap="nowrap">
                <Text size="sm">{said}</Text>
                <Button variant="default" size="compact-xs" onClick={takeBack}>
                  Undo
                </Button>
              </Group>
            ),
          });
          undo.current = { change: inverse, toast, until: Date.now() + UNDO_MS };
        },
      },
    );
  };
  return { apply, takeBack, busy: update.isPending };
}
