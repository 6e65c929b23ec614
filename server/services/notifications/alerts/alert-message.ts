import type { ALERT_EVENTS } from "@/db/schema/enumerations";
import { type AlertDefinition, MEASURES, measureWords, valueWords } from "./types";

export type AlertEvent = (typeof ALERT_EVENTS)[number];

/** What a message says about an alert: its settings, and what was measured when it began or ceased to fire. */
export type AnnouncedAlert = Omit<AlertDefinition, "limit" | "minCount"> & {
  id: string;
  name: string;
  firedAt: number;
  clearedAt: number | null;
  value: number | null;
  limitValue: number | null;
  count: number | null;
};

export const alertPath = (projectId: string, alertId: string) => `p/${projectId}/alerts?peek=${alertId}`;

/** Returns what happened in a sentence: `Error rate of model calls: 6.2% of 310 calls, fires at 5%`. */
export function alertSentence(alert: AnnouncedAlert, event: AlertEvent): string {
  const what = measureWords(alert);
  const { limitValue, measure } = alert;
  const limit = limitValue === null ? "" : MEASURES[measure].format(limitValue);
  if (event === "fired") return `${what}: ${valueWords(alert)}, fires at ${limit}`;
  return `${what} is back to ${valueWords(alert)}${limit === "" ? "" : `, the limit is ${limit}`}`;
}
