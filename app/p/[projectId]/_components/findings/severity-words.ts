import type { Finding } from "@/server/services/diagnostics/schemas";

export type SeverityName = Finding["severity"];

/** Most severe first. */
export const SEVERITIES = ["critical", "high", "medium", "low", "info"] as const satisfies readonly SeverityName[];

export const SEVERITY_WORDS: Record<SeverityName, string> = {
  critical: "Critical",
  high: "High",
  medium: "Medium",
  low: "Low",
  info: "Info",
};

/** The severities as options of a select. */
export const SEVERITY_OPTIONS = SEVERITIES.map((value) => ({ value, label: SEVERITY_WORDS[value] }));

/** Returns the severity with that name, if there is one: for values from a select or a URL. */
export const severityNamed = (name: string): SeverityName | undefined => SEVERITIES.find((known) => known === name);
