import type { Occurrence } from "@/server/services/diagnostics/schemas";

type Evidence = Occurrence["evidence"][number];
export type Quote = { text: string; places: Evidence[] };

/** Evidence by what it quotes, in the order of its first place: what repeats itself is read once. */
export function quotesOf(evidence: readonly Evidence[]): Quote[] {
  const byText = new Map<string, Evidence[]>();
  for (const one of evidence) byText.set(one.quote, [...(byText.get(one.quote) ?? []), one]);
  return [...byText].map(([text, places]) => ({ text, places }));
}
