import { useMutation, useQueryClient } from "@tanstack/react-query";
import type { ListAction } from "@/app/_components/data-table/types";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Backfill } from "@/server/services/diagnostics/backfills/schemas";
import { useMay } from "../../_components/access/membership";
import { useRuleNames } from "../../_components/findings/rule-name";
import { canPause, canResume, isRunning } from "./backfill-words";

/** Returns pause, resume and cancel; `onCancel` asks first, because a cancelled backfill cannot be resumed. */
export function useBackfillActions(projectId: string, onCancel: (backfill: Backfill) => void): ListAction<Backfill>[] {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const nameOf = useRuleNames();
  const may = useMay("diagnostics:write");
  const onSettled = () => queries.invalidateQueries({ queryKey: trpc.backfills.pathKey() });
  const pause = useMutation(trpc.backfills.pause.mutationOptions({ onSettled }));
  const resume = useMutation(trpc.backfills.resume.mutationOptions({ onSettled }));
  if (!may) return [];
  const named = (rows: readonly Backfill[]) =>
    rows.length === 1 && rows[0] ? `the backfill of “${nameOf(rows[0].ruleId)}”` : `${rows.length} backfills`;
  const each = (rows: readonly Backfill[], run: typeof pause.mutateAsync) =>
    Promise.all(rows.map(({ id }) => run({ projectId, backfillId: id })));
  return [
    {
      id: "pause",
      label: "Pause",
      key: "p",
      applies: canPause,
      run: async ({ rows }) => {
        await each(rows, pause.mutateAsync);
        return { said: `Paused ${named(rows)}`, undo: () => each(rows, resume.mutateAsync) };
      },
    },
    {
      id: "resume",
      label: "Resume",
      key: "r",
      applies: canResume,
      run: async ({ rows }) => {
        await each(rows, resume.mutateAsync);
        return { said: `Resumed ${named(rows)}`, undo: () => each(rows, pause.mutateAsync) };
      },
    },
    {
      id: "cancel",
      label: "Cancel…",
      danger: true,
      single: true,
      applies: isRunning,
      run: async ({ rows: [row] }) => {
        if (row) onCancel(row);
        return null;
      },
    },
  ];
}
