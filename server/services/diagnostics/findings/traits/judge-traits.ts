import { fisherTest } from "../../rules/fisher";
import { rateDifference, wilson } from "../../rules/trend";
import type { FindingTraits, TraitDimension } from "../schemas";

/** Fewer conversations have nothing in common that could not be by chance. */
const CONVERSATIONS_MIN = 3;
/** Probability of naming a value of a Finding that has nothing in common, whatever the number of values. */
const ERROR_MAX = 0.05;
const WEAKER_SHOWN = 5;

/** How many of the affected conversations and of the others have a value; `null`: they were sent without one. */
export type TraitCount = { dimension: TraitDimension; value: string | null; affected: number; others: number };
type Groups = { affected: number; others: number };
type Trait = FindingTraits["inCommon"][number];

/**
 * Returns what the affected conversations have in common: values that more of them have than of the others, by Fisher's exact
 * test, with Bonferroni's correction for the number of values that could have been found. Values of fewer than three
 * conversations altogether, or of all of them, could not, whichever are affected, so they do not count.
 */
export function judgeTraits(counts: readonly TraitCount[], groups: Groups): Pick<FindingTraits, "inCommon" | "weaker"> {
  const pOf = fisherTest(groups.affected, groups.others);
  const tested = counts.filter(({ affected, others }) => {
    const all = affected + others;
    return all >= CONVERSATIONS_MIN && all < groups.affected + groups.others;
  });
  const traits = tested.flatMap(({ dimension, value, ...having }): (Trait & { p: number; low: number })[] => {
    const affected = { affected: having.affected, conversations: groups.affected };
    const others = { affected: having.others, conversations: groups.others };
    const difference = rateDifference(others, affected);
    if (having.affected < CONVERSATIONS_MIN || difference === null || difference.rate <= 0) return [];
    return [
      {
        dimension,
        value,
        affected: { ...affected, interval: wilson(affected) },
        others: { ...others, interval: wilson(others) },
        p: pOf(having.affected, having.others),
        low: difference.low,
      },
    ];
  });
  const isInCommon = ({ p }: { p: number }) => p * tested.length < ERROR_MAX;
  const strongestFirst = traits.toSorted((a, b) => b.low - a.low || a.p - b.p);
  const shown = ({ low: _, p: __, ...trait }: (typeof traits)[number]): Trait => trait;
  return {
    inCommon: strongestFirst.filter(isInCommon).map(shown),
    weaker: strongestFirst
      .filter((trait) => !isInCommon(trait))
      .slice(0, WEAKER_SHOWN)
      .map(shown),
  };
}
