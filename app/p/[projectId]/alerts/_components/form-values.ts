import {
  type Alert,
  type AlertCondition,
  type AlertMeasure,
  CHANGE_MIN_COUNT,
  createAlertInput,
  MEASURES,
  measureWords,
  WINDOW_DEFAULT,
  WINDOW_MAX,
} from "@/server/services/notifications/alerts/schemas";
import { limitOf, shownLimit, unitOf } from "./units";

/** The form's fields: a limit is in the unit that is shown, and a number is text while it is typed. */
export type FormValues = {
  name: string;
  measure: AlertMeasure;
  model: string;
  label: string;
  findingId: string;
  condition: AlertCondition;
  limit: number | string;
  windowMinutes: number | string;
  minCount: number | string;
  mailMembers: boolean;
  connectionIds: string[];
};

/** What the address of a new alert may name. */
export type Filled = {
  measure: AlertMeasure | null;
  model: string | null;
  label: string | null;
  finding: string | null;
  name: string | null;
  limit: number | null;
};

const minCountOf = (measure: AlertMeasure, condition: AlertCondition) =>
  condition === "change" ? CHANGE_MIN_COUNT : MEASURES[measure].minCount;

/** Conversations are fewer than calls, and are read only once they have ended. */
const windowOf = (measure: AlertMeasure) => (measure === "finding_share" ? WINDOW_MAX : WINDOW_DEFAULT);

export function initialValues(alert: Alert | null, filled: Filled, mayReadCosts: boolean): FormValues {
  if (alert) {
    const { name, measure, model, label, condition, windowMinutes, minCount, mailMembers, connectionIds } = alert;
    const filters = { model: model ?? "", label: label ?? "", findingId: alert.findingId ?? "" };
    const limit = shownLimit(alert);
    return { name, measure, ...filters, condition, limit, windowMinutes, minCount, mailMembers, connectionIds };
  }
  const measure = filled.measure && (mayReadCosts || !MEASURES[filled.measure].isCost) ? filled.measure : "error_rate";
  const condition = "threshold";
  const limit = (measure === filled.measure ? filled.limit : null) ?? unitOf(measure, condition).initial;
  return {
    name: filled.name ?? measureWords({ measure, condition, model: filled.model, label: filled.label }),
    measure,
    model: filled.model ?? "",
    label: filled.label ?? "",
    findingId: filled.finding ?? "",
    condition,
    limit: shownLimit({ measure, condition, limit }),
    windowMinutes: windowOf(measure),
    minCount: minCountOf(measure, condition),
    mailMembers: false,
    connectionIds: [],
  };
}

/** Returns the values with another measure or condition, whose limit and minimum are others, and which names it if a person did not. */
export function withMeasure(values: FormValues, measure: AlertMeasure, asked: AlertCondition): FormValues {
  const { changes, filters } = MEASURES[measure];
  const condition = changes ? asked : "threshold";
  const limit = shownLimit({ measure, condition, limit: unitOf(measure, condition).initial });
  const minCount = minCountOf(measure, condition);
  const next = { ...values, measure, condition, limit, minCount, windowMinutes: windowOf(measure) };
  const filtered = filters === "none" ? { ...next, model: "", label: "" } : next;
  return { ...filtered, name: isOwnName(values) ? values.name : nameOf(filtered) };
}

/** Returns the values with a Finding, which names the alert if a person did not. */
export function withFinding(values: FormValues, id: string | null, title: string | null): FormValues {
  const name = title === null ? nameOf(values) : nameOfShare(title);
  return { ...values, findingId: id ?? "", name: isOwnName(values) ? values.name : name };
}

/** Returns the name of an alert on a Finding's share. */
export const nameOfShare = (title: string) => `${OF_FINDING}${title.replaceAll("`", "")}”`.slice(0, NAME_MAX);
const OF_FINDING = "Share of “";
const NAME_MAX = 120;

/** Whether a person named the alert. */
const isOwnName = (values: FormValues) =>
  values.name !== "" && values.name !== nameOf(values) && !values.name.startsWith(OF_FINDING);

const nameOf = ({ measure, condition }: FormValues) => measureWords({ measure, condition, model: null, label: null });

/** Returns what is sent; a number that is missing stays out, so that it is refused. */
export const sentOf = ({ limit, windowMinutes, minCount, model, label, findingId, ...values }: FormValues) => ({
  ...values,
  model: model.trim() || null,
  label: label.trim() || null,
  findingId: values.measure === "finding_share" ? findingId : null,
  limit: typeof limit === "number" ? limitOf(limit, values.measure, values.condition) : Number.NaN,
  windowMinutes: typeof windowMinutes === "number" ? windowMinutes : Number.NaN,
  minCount: typeof minCount === "number" ? minCount : Number.NaN,
});

const WORDS: Readonly<Record<string, string>> = {
  limit: "Enter a limit above 0.",
  windowMinutes: "Enter 5 to 1,440 minutes.",
  minCount: "Enter a whole number.",
  findingId: "Choose a Finding.",
};

/** Returns what is wrong with the fields, by field. */
export const problemsOf = (values: FormValues): Record<string, string> =>
  Object.fromEntries(
    (createAlertInput.safeParse(sentOf(values)).error?.issues ?? []).map(({ path, message }) => {
      const field = String(path[0]);
      return [field, WORDS[field] ?? message];
    }),
  );
