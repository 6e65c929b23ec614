import type { Trainer } from "@/server/services/trainers/schemas";
import type { Draft } from "./draft";

export type Missing = { trainer: string; reason: string; hint: string | null };

type Kind = keyof Trainer["supports"];

/** The feature name under which a trainer reports why no value of a kind is available. */
const FAMILIES: Partial<Record<Kind, string>> = { ggufQuantizations: "gguf", compressedQuantizations: "compressed" };

/** Returns why none of the trainers supports a value, one reason per trainer; empty if one does. */
export function missingFor(trainers: readonly Trainer[], kind: Kind, value: string): Missing[] {
  if (trainers.some(({ supports }) => supports[kind].includes(value))) return [];
  return trainers.map(({ name, unavailable, lastSeenAt }) => {
    const said = [value, FAMILIES[kind], "training"]
      .map((named) => unavailable.find(({ feature }) => feature === named))
      .find((one) => one !== undefined);
    return {
      trainer: name,
      reason: said?.reason ?? (lastSeenAt === null ? "It has not connected yet." : "It does not support this."),
      hint: said?.hint ?? null,
    };
  });
}

/** Returns the trainers that support a draft's method and adapter together. */
export const ableTrainers = (trainers: readonly Trainer[], { method, adapter }: Pick<Draft, "method" | "adapter">) =>
  trainers.filter(({ supports }) => supports.methods.includes(method) && supports.adapters.includes(adapter));
