import { createSerializer, parseAsBoolean, parseAsFloat, parseAsString, parseAsStringLiteral } from "nuqs";
import { ALERT_MEASURE_NAMES } from "@/server/services/notifications/alerts/schemas";
import { pageHref } from "../../_components/shell/pages";
import { nameOfShare } from "./form-values";

/** What opens the form for a new alert, filled in. */
export const newAlertParsers = {
  new: parseAsBoolean.withDefault(false),
  measure: parseAsStringLiteral(ALERT_MEASURE_NAMES),
  model: parseAsString,
  label: parseAsString,
  finding: parseAsString,
  name: parseAsString,
  limit: parseAsFloat,
};
const search = createSerializer(newAlertParsers);

type Filled = {
  measure: (typeof ALERT_MEASURE_NAMES)[number];
  limit?: number | null | undefined;
  /** The Finding whose share is measured. */
  finding?: { id: string; title: string };
};

/** Returns the address of the form for a new alert with some fields filled in. */
export const newAlertHref = (projectId: string, { measure, limit = null, finding }: Filled) => {
  const named = finding ? { finding: finding.id, name: nameOfShare(finding.title) } : {};
  return `${pageHref(projectId, "alerts")}${search({ new: true, measure, limit, ...named })}`;
};

/** Returns the address of an alert, beside the list. */
export const alertHref = (projectId: string, alertId: string) =>
  `${pageHref(projectId, "alerts")}?peek=${encodeURIComponent(alertId)}`;
