import { canonicalJson } from "@/server/platform/json/canonical-json";
import type { ChangedDefault, PriceDefinition } from "../schemas";
import type { Catalogue, DefaultModel } from "./default-prices";

const same = (a: unknown, b: unknown) => canonicalJson(a) === canonicalJson(b);

/** Returns the prices of a model at a moment (Unix ms). */
const atMoment = ({ timeline }: DefaultModel, at: number): PriceDefinition =>
  (timeline.findLast(({ effectiveFrom }) => effectiveFrom <= at) ?? timeline[0]!).definition;

const namesOf = ({ aliases, timeline }: DefaultModel) => [timeline[0]!.definition.matchPattern, ...aliases];
const timesOf = ({ timeline }: DefaultModel) =>
  timeline.map(({ effectiveFrom, definition }) => [effectiveFrom, definition.pricingTiers]);

/** Returns what `next` would change in the default prices, by id. `at` (Unix ms) selects the prices shown as before and after. */
export function compareCatalogues(
  current: Catalogue,
  next: Catalogue,
  at: number,
): Omit<ChangedDefault, "overridden">[] {
  const ids = [...new Set([...current.byId.keys(), ...next.byId.keys()])].sort();
  return ids.flatMap((id) => {
    const [was, becomes] = [current.byId.get(id), next.byId.get(id)];
    const [old, fresh] = [was && atMoment(was, at), becomes && atMoment(becomes, at)];
    const { provider, modelName } = (fresh ?? old)!;
    const change = {
      id,
      provider,
      modelName,
      before: old?.pricingTiers ?? null,
      after: fresh?.pricingTiers ?? null,
      namesChanged: was !== undefined && becomes !== undefined && !same(namesOf(was), namesOf(becomes)),
      timelineChanged: was !== undefined && becomes !== undefined && !same(timesOf(was), timesOf(becomes)),
    };
    if (!was) return { ...change, change: "added" as const };
    if (!becomes) return { ...change, change: "removed" as const };
    return change.namesChanged || change.timelineChanged ? { ...change, change: "changed" as const } : [];
  });
}
