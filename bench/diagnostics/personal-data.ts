import { z } from "zod";
import type { LabelledConversation } from "@/bench/labelled";
import { findPersonalData } from "@/server/platform/personal-data";

/** Labelled types with a recognisable form. Names, places, dates and organisations have none. */
const WITH_FORM = new Set([
  "CREDIT_CARD",
  "PHONE_NUMBER",
  "EMAIL_ADDRESS",
  "IBAN_CODE",
  "DOMAIN_NAME",
  "IP_ADDRESS",
  "US_SSN",
  "US_DRIVER_LICENSE",
  "US_PASSPORT",
  "US_BANK_NUMBER",
]);
const spans = z.array(z.looseObject({ type: z.string(), start: z.int(), end: z.int() }));

export type PersonalDataFigures = { n: number; found: number; exact: number; falseAlarms: number };

/** Returns how many labelled spans the recogniser finds, and what it finds outside any labelled span. `null` without labels. */
export function personalDataFigures(conversations: readonly LabelledConversation[]): PersonalDataFigures | null {
  const figures = { n: 0, found: 0, exact: 0, falseAlarms: 0 };
  for (const { messages, turn_labels } of conversations) {
    for (const label of turn_labels ?? []) {
      const content = messages[label.index]?.content;
      const gold = spans.safeParse(label.spans);
      if (label.label !== "pii" || !gold.success || typeof content !== "string") continue;
      const found = findPersonalData(content);
      for (const span of gold.data.filter(({ type }) => WITH_FORM.has(type))) {
        const hits = found.filter(({ start, end }) => start < span.end && end > span.start);
        figures.n++;
        if (hits.length > 0) figures.found++;
        if (hits.some(({ start, end }) => start === span.start && end === span.end)) figures.exact++;
      }
      figures.falseAlarms += found.filter(
        ({ start, end }) => !gold.data.some((span) => start < span.end && end > span.start),
      ).length;
    }
  }
  return figures.n === 0 ? null : figures;
}
