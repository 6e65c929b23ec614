import type { Ctx } from "@/server/platform/context";
import type { PriceDefinition, PriceProvider } from "../schemas";
import { currentPriceBook } from "./load-price-book";
import { compilePattern, isPattern } from "./pattern";
import { createPriceBook } from "./resolve-price";

type Hypothetical = {
  matchPattern: string;
  provider: PriceProvider;
  modelName?: string | undefined;
  /** The definition that it would replace. */
  modelPriceId?: string | undefined;
};

/** The definition that prices a model now, and whether the hypothetical one would. */
type Match = { pricedBy: string | null; wins: boolean };

/** Sorts after every id, so that an existing definition wins ties. */
const NEW_ID = "￿";

/** Returns a function that tests a hypothetical definition on model names; it returns `null` for names that do not match. */
export async function previewMatcher(
  ctx: Pick<Ctx, "db" | "projectId">,
  { matchPattern, provider, modelName, modelPriceId }: Hypothetical,
): Promise<{ error: string } | { match: (model: string, provider: string | null) => Match | null }> {
  const pattern = compilePattern(matchPattern);
  if (!isPattern(pattern)) return { error: pattern.error };
  const book = await currentPriceBook(ctx);
  const id = modelPriceId ?? NEW_ID;
  const definition: PriceDefinition = {
    id,
    provider,
    // Without a name only the pattern is tested: no client sends this one.
    modelName: modelName ?? "\u0000",
    matchPattern,
    pricingTiers: [{ id: "any", name: "any", isDefault: true, priority: 0, conditions: [], prices: {} }],
    source: "project_custom",
    editable: true,
    resettable: false,
  };
  const alone = createPriceBook([], [{ definition, version: 0 }], "");
  const then = book.with(definition);
  return {
    match(model, provider) {
      if (!alone.resolve(model, provider)) return null;
      return {
        pricedBy: book.resolve(model, provider)?.definition.id ?? null,
        wins: then.resolve(model, provider)?.definition.id === id,
      };
    },
  };
}
