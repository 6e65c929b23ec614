"use client";
import { notifications } from "@mantine/notifications";
import { type InfiniteData, useMutation, useQueryClient } from "@tanstack/react-query";
import { useUndo } from "@/app/_components/feedback/use-undo";
import { InlineCode } from "@/app/_components/values/inline-code";
import { problemOf } from "@/app/_lib/problem";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { useKeys } from "@/app/_lib/use-keys";
import type { Finding } from "@/server/services/diagnostics/schemas";
import { useMay } from "../../../_components/access/membership";

type Change = {
  reviewStatus?: Finding["reviewStatus"];
  resolutionStatus?: NonNullable<Finding["resolutionStatus"]>;
};

/** The actions on a Finding, each with its toast. */
const ACTIONS = {
  confirm: { change: { reviewStatus: "confirmed" }, done: "Confirmed" },
  dismiss: { change: { reviewStatus: "dismissed" }, done: "Dismissed" },
  unreview: { change: { reviewStatus: "unreviewed" }, done: "Back for review:" },
  resolve: { change: { resolutionStatus: "resolved" }, done: "Resolved" },
  unresolve: { change: { resolutionStatus: "unresolved" }, done: "Unresolved" },
} as const satisfies Record<string, { change: Change; done: string }>;
type Action = keyof typeof ACTIONS;

/**
 * Returns the changes that restore a Finding's previous state. A resolution can be changed but not cleared, except by
 * dismissing, so a dismissed Finding's previous resolution is set again afterwards.
 */
function inverseOf(before: Finding, change: Change): [Change, ...Change[]] {
  const { reviewStatus, resolutionStatus } = before;
  if (reviewStatus === "dismissed") return [{ reviewStatus }, ...(resolutionStatus ? [{ resolutionStatus }] : [])];
  const resolution = resolutionStatus ?? (change.resolutionStatus === undefined ? undefined : ("unresolved" as const));
  return [{ reviewStatus, ...(resolution ? { resolutionStatus: resolution } : {}) }];
}

type Lists = InfiniteData<RouterOutputs["findings"]["list"]>;

/**
 * Returns functions that change Findings; each shows a toast with the Finding's name and can be undone for ten seconds.
 */
export function useReview(projectId: string, onChanged?: (finding: Finding) => void) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const { offer, undo } = useUndo();
  const update = useMutation(
    trpc.findings.update.mutationOptions({
      onSuccess: (reply, { findingId }) => {
        queries.setQueryData(trpc.findings.get.queryKey({ projectId, findingId }), reply);
        // Updates lists immediately, which may remove it from them.
        queries.setQueriesData<Lists>({ queryKey: trpc.findings.list.infiniteQueryKey() }, (lists) =>
          lists === undefined ? lists : withFinding(lists, reply.finding),
        );
        onChanged?.(reply.finding);
        void queries.invalidateQueries({ queryKey: trpc.findings.pathKey() });
        void queries.invalidateQueries({ queryKey: trpc.conversations.pathKey() });
      },
      onError: (error) =>
        notifications.show({ color: "red", title: problemOf(error).title, message: problemOf(error).detail }),
    }),
  );

  const apply = (finding: Finding, action: Action) => {
    if (update.isPending) return;
    const { change, done } = ACTIONS[action];
    const mutate = (wanted: Change, onSuccess?: () => void) =>
      update.mutate({ projectId, findingId: finding.id, ...wanted }, onSuccess ? { onSuccess } : {});
    const [first, second] = inverseOf(finding, change);
    const said = (
      <>
        {done} “<InlineCode text={finding.title} />”
      </>
    );
    mutate(change, () => offer(said, () => mutate(first, second && (() => mutate(second)))));
  };
  return { apply, undo, busy: update.isPending };
}
export type Review = ReturnType<typeof useReview>;

const withFinding = (lists: Lists, changed: Finding): Lists => ({
  ...lists,
  pages: lists.pages.map((page) => ({
    ...page,
    findings: page.findings.map((one) => (one.id === changed.id ? { ...one, ...changed } : one)),
  })),
});

/** Handles the review keys; they act on what `target` returns at that moment. */
export function useReviewKeys({ apply, undo }: Review, target: () => Finding | undefined) {
  const may = useMay("diagnostics:write");
  const on = (act: (finding: Finding) => Action | null) => () => {
    const finding = may ? target() : undefined;
    const action = finding && act(finding);
    if (action) apply(finding, action);
  };
  useKeys({
    c: on(({ reviewStatus }) => (reviewStatus === "confirmed" ? null : "confirm")),
    e: on(({ reviewStatus }) => (reviewStatus === "dismissed" ? null : "dismiss")),
    r: on(({ reviewStatus, resolutionStatus }) =>
      reviewStatus === "dismissed" ? null : resolutionStatus === "resolved" ? "unresolve" : "resolve",
    ),
    u: undo,
  });
}
