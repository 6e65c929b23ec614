import type { Ctx } from "@/server/platform/context";
import type { PriceDefinition, PriceProvider } from "../schemas";
import { currentPriceBook } from "./load-price-book";
import { compilePattern, isPattern } from "./pattern";
import { createPriceBook } from "./resolve-price";

type Hypothetical = {
  matchPattern: string;
  provider: PriceProvider;
  modelName?: string | undefined;
  /** The definition in whose place it stands. */
  modelPriceId?: string | undefined;
};

/** What prices a model now, and whether the hypothetical definition would. `null`: it does not know the name at all. */
type Match = { pricedBy: string | null; wins: boolean };

/** After every id that there is: among equals, what is there already keeps the model. */
const NEW_ID = "￿";

/** Tries a definition that is not stored on names. */
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
    // A name that nobody sends: without one, the pattern alone is tried.
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
