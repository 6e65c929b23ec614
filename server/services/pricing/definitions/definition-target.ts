import type { Ctx } from "@/server/platform/context";
import { unprocessable } from "@/server/platform/errors";
import { catalogueInForce } from "../catalogue/catalogue-in-force";
import type { DefaultModel } from "../catalogue/default-prices";
import type { DefinitionInput } from "./definition-input";
import { definitionById, definitionByName, type StoredDefinition } from "./stored-definition";

type Names = Pick<DefinitionInput, "provider" | "modelName">;

type DefinitionTarget = {
  /** The definition of which this becomes the next version; `undefined` for a new one. */
  id: string | undefined;
  baseModelPriceId: string | undefined;
  /** `undefined` to match its own name only. */
  matchPattern: string | undefined;
  /** The project's definitions that are replaced. */
  replaces: StoredDefinition[];
};

/**
 * Resolves which of the project's definitions a new one replaces. It is an override when it says so, or when the existing
 * one with its vendor and name is. An omitted pattern is inherited from the previous version, else from the overridden
 * default, so that changing prices alone never changes which names match.
 */
export async function resolveDefinitionTarget(ctx: Ctx, input: DefinitionInput): Promise<DefinitionTarget> {
  const named = await definitionByName(ctx, input);
  const baseModelPriceId = input.baseModelPriceId ?? named?.baseModelPriceId ?? undefined;
  if (baseModelPriceId === undefined) {
    const matchPattern = input.matchPattern ?? named?.matchPattern;
    return { id: named?.id, baseModelPriceId, matchPattern, replaces: named ? [named] : [] };
  }
  const base = (await catalogueInForce(ctx.db)).byId.get(baseModelPriceId);
  if (!base && input.baseModelPriceId !== undefined) {
    throw unprocessable("/baseModelPriceId", "There is no default price with this id.");
  }
  if (base) requireNamesOf(base, input);
  const before = await definitionById(ctx, baseModelPriceId);
  const matchPattern =
    input.matchPattern ?? before?.matchPattern ?? base?.timeline[0]?.definition.matchPattern ?? undefined;
  const replaces = named && named.id !== before?.id ? [before, named] : [before];
  return { id: baseModelPriceId, baseModelPriceId, matchPattern, replaces: replaces.flatMap((row) => row ?? []) };
}

/** Throws unless an override has the vendor and name of its default, which it would otherwise hide. */
function requireNamesOf({ timeline }: DefaultModel, { provider, modelName }: Names) {
  const base = timeline[0]?.definition;
  if (!base) return;
  const another = "Create a definition without baseModelPriceId for another model.";
  if (provider !== base.provider) {
    throw unprocessable("/provider", `The overridden default's provider is ${base.provider}. ${another}`);
  }
  if (modelName !== base.modelName) {
    throw unprocessable("/modelName", `The overridden default's name is ${base.modelName}. ${another}`);
  }
}

/** Does the same for a stored override; one whose default has left the catalogue keeps any name. */
export async function requireNamesOfBase(ctx: Ctx, baseModelPriceId: string, names: Names) {
  const base = (await catalogueInForce(ctx.db)).byId.get(baseModelPriceId);
  if (base) requireNamesOf(base, names);
}
