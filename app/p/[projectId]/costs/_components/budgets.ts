import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/app/_lib/trpc/client";
import type { Costs } from "@/server/services/costs/schemas";
import { type Alert, MEASURES, measureWords } from "@/server/services/notifications/alerts/schemas";

/** The limit of an alert on costs, and what the last evaluation found to be spent of it, `null` if that is not known. In US dollars. */
export type Budget = Pick<Alert, "id" | "measure" | "model" | "label" | "limit" | "state"> & {
  words: string;
  spent: number | null;
};

const isBudget = ({ enabled, measure, condition }: Alert) =>
  enabled && MEASURES[measure].isCost && condition === "threshold";

/** Returns the limits that a project's alerts set to the cost of a day, a month and a user. */
export function useBudgets(projectId: string): Budget[] {
  const trpc = useTRPC();
  const { data } = useQuery(trpc.alerts.list.queryOptions({ projectId, limit: 500 }));
  return (data?.alerts ?? [])
    .filter(isBudget)
    .map((alert) => ({ ...alert, words: measureWords(alert), spent: alert.value }));
}

/** How far above the dearest day a limit is that says nothing on ordinary days. */
const ABOVE_HIGHEST = 1.5;

/** Returns a round limit above every day shown; `undefined` if no cost is known. */
export function suggestedBudget({ totals }: Pick<Costs, "totals">): number | undefined {
  const highest = Math.max(0, ...totals.map((cost) => cost ?? 0));
  if (highest === 0) return undefined;
  const wanted = highest * ABOVE_HIGHEST;
  const power = 10 ** Math.floor(Math.log10(wanted));
  const step = [1, 2, 5, 10].find((one) => one * power >= wanted) ?? 10;
  return Number((step * power).toPrecision(2));
}
