import type { Occurrence } from "@/server/services/diagnostics/schemas";

type Evidence = Occurrence["evidence"][number];
export type Quote = { text: string; places: Evidence[] };

/** Groups evidence by quote, ordered by first occurrence, so that a repeated quote is read once. */
export function quotesOf(evidence: readonly Evidence[]): Quote[] {
  const byText = new Map<string, Evidence[]>();
  for (const one of evidence) byText.set(one.quote, [...(byText.get(one.quote) ?? []), one]);
  return [...byText].map(([text, places]) => ({ text, places }));
}
