import { useQueryClient } from "@tanstack/react-query";
import { focusRow, rowInFocus } from "@/app/_components/data-table/use-row-keys";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Finding } from "@/server/services/diagnostics/schemas";
import { useReview, useReviewKeys } from "../[findingId]/_components/use-review";
import { keeps, type View } from "./view";

type Options = { projectId: string; view: View; rows: readonly Finding[]; onPeek: (findingId: string | null) => void };

/** Returns the review functions for a list. Its keys act on the focused row, else on the one open next to the list. */
export function useListReview({ projectId, view, rows, onPeek }: Options) {
  const trpc = useTRPC();
  const queries = useQueryClient();
  const review = useReview(projectId, (changed) => {
    const at = rows.findIndex((row) => row.id === changed.id);
    if (at < 0 || keeps(view, changed)) return;
    // It leaves this tab, so the next one opens; keys never act on a Finding that is not on screen.
    const next = rows[at + 1] ?? rows[at - 1];
    const focused = rowInFocus();
    if (view.peek === changed.id) onPeek(next?.id ?? null);
    if (next && (focused === null || focused === changed.id)) focusRow(next.id);
  });
  useReviewKeys(review, () => {
    const id = rowInFocus() ?? view.peek;
    if (id === null) return undefined;
    const whole = queries.getQueryData(trpc.findings.get.queryKey({ projectId, findingId: id }))?.finding;
    const row = rows.find((one) => one.id === id);
    return id === view.peek ? (whole ?? row) : row;
  });
  return review;
}
