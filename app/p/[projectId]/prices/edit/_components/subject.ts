import { createLoader, parseAsString, parseAsStringLiteral } from "nuqs/server";
import { PRICE_PROVIDERS } from "@/server/services/pricing/schemas";

/**
 * What is being edited: the project's own price `id`, an override of `base`, or a new price, optionally for `model`.
 */
export const loadSubject = createLoader({
  id: parseAsString,
  base: parseAsString,
  model: parseAsString,
  vendor: parseAsStringLiteral(PRICE_PROVIDERS),
});
export type Subject = Awaited<ReturnType<typeof loadSubject>>;
