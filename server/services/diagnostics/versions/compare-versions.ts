import { verb } from "@/server/platform/verb";
import { idsOfMatching } from "@/server/services/telemetry";
import { judgeTraits, type TraitCount } from "../findings/traits/judge-traits";
import { COMPARED_MAX, compareSides } from "./compare-sides";
import type { Sides } from "./judge-rows";
import { type MeasuredConversation, readTraits } from "./read-sides";
import { type Comparison, compareVersionsInput, comparisonReply } from "./schemas";

/** Other differences that are listed. */
const OTHERWISE_SHOWN = 6;

export const compareVersions = verb(
  {
    name: "versions.compare",
    summary:
      "Compare two versions, models, labels, prompts or arms by Findings, errors, thumbs down, costs and latency.",
    description: `Compares the newest ${COMPARED_MAX.toLocaleString("en")} conversations of each value that began in the time range; those with both values are in neither side. A Finding's share is that of the conversations that its Rule read, in the same version and with the same settings on both sides. \`verdict\`: \`worse\` or \`better\` only where a test says so that holds however often it is looked at (mixture sequential probability ratio, Johari 2017, with the variance between days; for shares Fisher's exact test too), corrected for the number of rows (Holm 1979); \`none_shown\` is no proof that there is no difference; \`too_few\`: fewer than 10 conversations on a side, or 30 for costs and latency. What ran one after the other differs in more than its version: \`otherwise\` lists what else differs.`,
    effect: "read",
    capability: "diagnostics:read",
    input: compareVersionsInput,
    reply: comparisonReply,
  },
  async (ctx, { by, baseline, compared, ...window }) => {
    const filter = (value: string) => ({ [by]: [value], ...window });
    const found = {
      baseline: await idsOfMatching(ctx, filter(baseline), COMPARED_MAX + 1),
      compared: await idsOfMatching(ctx, filter(compared), COMPARED_MAX + 1),
    };
    const { ids, both } = apart(found);
    const { conversations, rows } = await compareSides(ctx, ids);
    const side = (name: keyof Sides<unknown>, value: string) => ({
      value,
      sampled: found[name].length > COMPARED_MAX,
      ...extentOf(conversations.filter(({ isCompared }) => isCompared === (name === "compared"))),
    });
    return {
      comparison: {
        by,
        baseline: side("baseline", baseline),
        compared: side("compared", compared),
        both,
        rows,
        otherwise: otherwise(await readTraits(ctx, ids), ids, by),
      },
    };
  },
);

/** Returns the conversations that have one of the values only. */
function apart(found: Sides<readonly string[]>) {
  const newest = { baseline: found.baseline.slice(0, COMPARED_MAX), compared: found.compared.slice(0, COMPARED_MAX) };
  const [first, second] = [new Set(found.baseline), new Set(found.compared)];
  const ids = {
    baseline: newest.baseline.filter((id) => !second.has(id)),
    compared: newest.compared.filter((id) => !first.has(id)),
  };
  return { ids, both: newest.compared.length - ids.compared.length };
}

function extentOf(conversations: readonly MeasuredConversation[]) {
  const starts = conversations.map(({ startedAt }) => startedAt);
  return {
    conversations: starts.length,
    firstAt: starts.length === 0 ? null : starts.reduce((a, b) => Math.min(a, b)),
    lastAt: starts.length === 0 ? null : starts.reduce((a, b) => Math.max(a, b)),
  };
}

/** Returns the values, other than those compared, that one of the sides has more often, by the test for traits. */
function otherwise(counts: readonly TraitCount[], ids: Sides<readonly string[]>, by: string): Comparison["otherwise"] {
  const others = counts.filter(({ dimension }) => dimension !== by);
  const [first, second] = [ids.baseline.length, ids.compared.length];
  if (first === 0 || second === 0) return [];
  const swapped = others.map(({ affected, others: of, ...one }) => ({ ...one, affected: of, others: affected }));
  const more = judgeTraits(others, { affected: second, others: first }).inCommon;
  const fewer = judgeTraits(swapped, { affected: first, others: second }).inCommon;
  return [
    ...more.map(({ dimension, value, affected, others: of }) => ({
      dimension,
      value,
      baseline: of.affected,
      compared: affected.affected,
    })),
    ...fewer.map(({ dimension, value, affected, others: of }) => ({
      dimension,
      value,
      baseline: affected.affected,
      compared: of.affected,
    })),
  ].slice(0, OTHERWISE_SHOWN);
}
