"use client";
import { notifications } from "@mantine/notifications";
import { type InfiniteData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ActionDone, ActionTarget, ListAction } from "@/app/_components/data-table/types";
import { useUndo } from "@/app/_components/feedback/use-undo";
import { InlineCode } from "@/app/_components/values/inline-code";
import { plural, quoted } from "@/app/_lib/format";
import { problemOf } from "@/app/_lib/problem";
import { type RouterOutputs, useTRPC } from "@/app/_lib/trpc/client";
import { useKeys } from "@/app/_lib/use-keys";
import type { Finding } from "@/server/services/diagnostics/schemas";
import { useMay } from "../../../_components/access/membership";
import { type FindingChange, type ReviewChoice, reviewChoices } from "./review-choices";
import { useWithoutGone } from "./use-without-gone";

const ASSIGNEES_STALE_MS = 60_000;

/** Returns what a list shows immediately; the rest comes with the reload. */
function shownAfter(finding: Finding, change: FindingChange): Finding {
  const dismisses = change.reviewStatus === "dismissed";
  const resolution = dismisses ? null : (change.resolutionStatus ?? finding.resolutionStatus);
  const ended = dismisses || resolution === "resolved";
  return {
    ...finding,
    reviewStatus: change.reviewStatus ?? finding.reviewStatus,
    resolutionStatus: resolution,
    severity: change.severity ?? finding.severity,
    regressedAt: ended ? null : finding.regressedAt,
    escalatingSince: ended ? null : finding.escalatingSince,
  };
}

type Lists = InfiniteData<RouterOutputs["findings"]["list"]>;
export type FindingsFilter = { projectId: string; limit?: unknown; sort?: unknown };

const named = (done: string, findings: readonly Finding[], count: number): React.ReactNode => {
  const [only] = findings;
  if (only === undefined || count !== 1) return `${done} ${plural(count, "Finding")}`;
  return (
    <>
      {done} <InlineCode text={quoted(only.title)} />
    </>
  );
};

/** Returns functions that change Findings; each resolves to the text of its toast and how to undo it. */
export function useFindingChanges(projectId: string) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const reload = () => {
    void queries.invalidateQueries({ queryKey: trpc.conversations.pathKey() });
    void queries.invalidateQueries({ queryKey: trpc.findingNotes.pathKey() });
    return queries.invalidateQueries({ queryKey: trpc.findings.pathKey() });
  };
  const update = useMutation(trpc.findings.updateMany.mutationOptions());
  const merge = useMutation(trpc.findings.merge.mutationOptions());
  const split = useMutation(trpc.findings.split.mutationOptions());
  const undo = useMutation(trpc.findings.undo.mutationOptions());
  const wayBack = (changeId: string) => async () => {
    await undo.mutateAsync({ projectId, changeId });
    await reload();
  };

  /** Updates lists immediately, which may remove rows from them. */
  const show = (ids: ReadonlySet<string>, change: FindingChange) =>
    queries.setQueriesData<Lists>({ queryKey: trpc.findings.list.infiniteQueryKey() }, (lists) =>
      lists === undefined
        ? lists
        : {
            ...lists,
            pages: lists.pages.map((page) => ({
              ...page,
              findings: page.findings.map((one) => (ids.has(one.id) ? shownAfter(one, change) : one)),
            })),
          },
    );

  const change = async (
    { change: set, done }: ReviewChoice,
    { rows, matching }: ActionTarget<Finding>,
    filter?: FindingsFilter,
  ) => {
    const { projectId: _, limit: __, sort: ___, ...matches } = filter ?? { projectId };
    const which = matching ? { filter: matches } : { findingIds: rows.map(({ id }) => id) };
    const reply = await update.mutateAsync({ projectId, ...which, set }).catch((error: unknown) => {
      // Some of them no longer exist, but are still in the lists.
      if (problemOf(error).status === 404) void reload();
      throw error;
    });
    show(new Set(reply.change.findingIds), set);
    const reloaded = reload();
    if (rows.length === 1) await reloaded;
    return {
      said: named(done, rows, matching ? reply.change.count : rows.length),
      undo: wayBack(reply.change.id),
    } satisfies ActionDone;
  };
  const mergeInto = async (rows: readonly Finding[]): Promise<ActionDone | null> => {
    const [into, ...from] = rows;
    if (into === undefined || from.length === 0) {
      notifications.show({ message: "Select two or more Findings of one Rule with x, then merge them with m." });
      return null;
    }
    const findingIds = from.map(({ id }) => id);
    const reply = await merge.mutateAsync({ projectId, findingId: into.id, findingIds });
    await reload();
    return {
      said: (
        <>
          Merged {plural(rows.length, "Finding")} into <InlineCode text={quoted(into.title)} />
        </>
      ),
      undo: wayBack(reply.change.id),
    };
  };
  const splitOff = async (findingId: string, which: { causes: string[] } | { occurrences: string[] }) => {
    const reply = await split.mutateAsync({ projectId, findingId, ...which });
    await reload();
    return { finding: reply.finding, undo: wayBack(reply.change.id) };
  };
  const busy = [update, merge, split, undo].some(({ isPending }) => isPending);
  return { change, mergeInto, splitOff, wayBack, busy };
}

export const tellProblem = (error: unknown) =>
  notifications.show({ color: "red", title: problemOf(error).title, message: problemOf(error).detail });

/** Returns what the reader can choose; empty for one who may not review. */
function useReviewChoices(projectId: string): readonly ReviewChoice[] {
  const trpc = useTRPC();
  const may = useMay("diagnostics:write");
  const { data } = useQuery(
    trpc.findings.assignees.queryOptions({ projectId }, { enabled: may, staleTime: ASSIGNEES_STALE_MS }),
  );
  return useMemo(() => (may ? reviewChoices(data?.assignees ?? []) : []), [may, data]);
}

/** Reviews a Finding: each choice shows a toast with its name and can be undone for ten seconds. */
export function useReview(projectId: string) {
  const choices = useReviewChoices(projectId);
  const { change, busy } = useFindingChanges(projectId);
  const { offer, undo } = useUndo();
  const apply = (finding: Finding, id: string) => {
    const choice = choices.find((one) => one.id === id);
    if (busy || !choice) return;
    change(choice, { rows: [finding], matching: false }).then(
      (done) => offer(done.said, () => void done.undo().catch(tellProblem)),
      tellProblem,
    );
  };
  return { choices, apply, undo, busy };
}
export type Review = ReturnType<typeof useReview>;

/** Returns the review as actions of a list of Findings; none for readers who may not review. */
export function useReviewActions(projectId: string, filter: FindingsFilter) {
  const choices = useReviewChoices(projectId);
  const { change, mergeInto } = useFindingChanges(projectId);
  const { run, dialog } = useWithoutGone();
  const actions: ListAction<Finding>[] = choices.map(({ change: _, done: __, ...choice }, index) => ({
    ...choice,
    matching: true,
    run: (target) => run(target.rows, (rows) => change(choices[index]!, { ...target, rows }, filter)),
  }));
  const merge: ListAction<Finding> = { id: "merge", label: "Merge", key: "m", run: ({ rows }) => mergeInto(rows) };
  return { choices, actions: choices.length === 0 ? [] : [...actions, merge], dialog };
}

/** Handles the review keys; they act on what `target` returns at that moment. */
export function useReviewKeys({ choices, apply, undo }: Review, target: () => Finding | undefined) {
  const on = (key: string) => () => {
    const finding = target();
    const choice = finding && choices.find((one) => one.key === key && (one.applies?.(finding) ?? true));
    if (choice) apply(finding, choice.id);
  };
  useKeys({ c: on("c"), e: on("e"), r: on("r"), w: on("w"), a: on("a"), u: undo });
}
