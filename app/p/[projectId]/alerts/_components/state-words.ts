import { type Alert, type AlertState, isOverLimit } from "@/server/services/notifications/alerts/schemas";

type Standing = { word: string; color: string };
const STATES: Record<AlertState, Standing> = {
  ok: { word: "OK", color: "var(--state-ok)" },
  firing: { word: "Firing", color: "var(--severity-critical)" },
  no_data: { word: "No data", color: "var(--mantine-color-dimmed)" },
  too_few: { word: "Not enough data", color: "var(--mantine-color-dimmed)" },
};

/** Fires if the next evaluation finds the same. */
const OVER: Standing = { word: "Over the limit", color: "var(--severity-medium)" };

type Evaluated = Pick<Alert, "state" | "value" | "limitValue">;

/** Returns what an evaluation found, in a word. */
export const stateWords = (found: Evaluated): Standing =>
  found.state === "ok" && isOverLimit(found) ? OVER : STATES[found.state];

/** Returns how an alert stands: one that is off, or new, has no state. */
export const standingOf = ({ enabled, evaluatedAt, ...found }: Evaluated & Pick<Alert, "enabled" | "evaluatedAt">) =>
  !enabled
    ? { word: "Off", color: "var(--mantine-color-dimmed)" }
    : evaluatedAt === null
      ? { word: "Not evaluated yet", color: "var(--mantine-color-dimmed)" }
      : stateWords(found);
