import type { Ctx } from "@/server/platform/context";
import { impossible } from "@/server/platform/errors";
import { catalogueInForce } from "../catalogue/catalogue-in-force";
import type { DefinitionInput } from "./definition-input";
import { definitionById, definitionByName, type StoredDefinition } from "./stored-definition";

type DefinitionTarget = {
  /** Whose next version it is; without one it is new. */
  id: string | undefined;
  baseModelPriceId: string | undefined;
  /** Undefined: its own name only. */
  matchPattern: string | undefined;
  /** The project's definitions that it replaces. */
  replaces: StoredDefinition[];
};

/**
 * Returns where a definition that is sent belongs among those that the project has in force. It is an override when it
 * says so, or when the one with its vendor and name is. A pattern that it leaves out is that of the definition whose next
 * version it is, else its default's, so that prices alone never change which names it is for.
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
    throw impossible("/baseModelPriceId", "There is no default price with this id.");
  }
  const before = await definitionById(ctx, baseModelPriceId);
  const matchPattern =
    input.matchPattern ?? before?.matchPattern ?? base?.timeline[0]?.definition.matchPattern ?? undefined;
  const replaces = named && named.id !== before?.id ? [before, named] : [before];
  return { id: baseModelPriceId, baseModelPriceId, matchPattern, replaces: replaces.flatMap((row) => row ?? []) };
}
