import type { AlertCondition, AlertDefinition, AlertMeasure } from "@/server/services/notifications/alerts/schemas";
import { CHANGE_DEFAULT } from "@/server/services/notifications/alerts/schemas";

/** How a form shows a limit: `scale` of these make one of the measure's own unit. */
type Unit = { scale: number; prefix?: string; suffix?: string; initial: number };

const UNITS: Record<AlertMeasure, Unit> = {
  daily_cost: { scale: 1, prefix: "$", initial: 20 },
  monthly_cost: { scale: 1, prefix: "$", initial: 500 },
  daily_user_cost: { scale: 1, prefix: "$", initial: 5 },
  error_rate: { scale: 100, suffix: " %", initial: 0.05 },
  latency_p95: { scale: 0.001, suffix: " s", initial: 10_000 },
  finding_share: { scale: 100, suffix: " %", initial: 0.05 },
  silence: { scale: 1, suffix: " min", initial: 30 },
};
const CHANGE: Unit = { scale: 100, suffix: " %", initial: CHANGE_DEFAULT };

export const unitOf = (measure: AlertMeasure, condition: AlertCondition) =>
  condition === "change" ? CHANGE : UNITS[measure];

/** Removes what multiplication adds: 0.07 × 100 is 7.000000000000001. */
const exact = (value: number) => Number(value.toPrecision(12));

export const shownLimit = ({ measure, condition, limit }: Pick<AlertDefinition, "measure" | "condition" | "limit">) =>
  exact(limit * unitOf(measure, condition).scale);
export const limitOf = (shown: number, measure: AlertMeasure, condition: AlertCondition) =>
  exact(shown / unitOf(measure, condition).scale);
