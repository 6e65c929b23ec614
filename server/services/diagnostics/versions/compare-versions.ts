import { verb } from "@/server/platform/verb";
import { idsOfMatching } from "@/server/services/telemetry";
import { type RuleHistory, ruleHistory } from "../findings/readings";
import { judgeTraits, type TraitCount } from "../findings/traits/judge-traits";
import { judgeRows, type Measured, type Observed, type Sides } from "./judge-rows";
import {
  type ComparedFinding,
  type MeasuredConversation,
  type ReadingCount,
  readConversations,
  readFindings,
  readTraits,
} from "./read-sides";
import { type Comparison, compareVersionsInput, comparisonReply } from "./schemas";

/** Conversations of each side that are compared, the newest. */
const COMPARED_MAX = 5000;
/** Other differences that are listed. */
const OTHERWISE_SHOWN = 6;

export const compareVersions = verb(
  {
    name: "versions.compare",
    summary: "Compare two versions, models, labels or prompts by Findings, errors, thumbs down, costs and latency.",
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
    const conversations = await readConversations(ctx, ids);
    const { findings, counts } = await readFindings(ctx, ids);
    const history = await ruleHistory(ctx, [...new Set(findings.map(({ ruleId }) => ruleId))]);
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
        rows: judgeRows([
          ...findings.map((finding) => findingRow(finding, counts, history)),
          ...ofConversations(conversations),
        ]),
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

/** Returns the rows of what is known of conversations themselves. */
function ofConversations(conversations: readonly MeasuredConversation[]): Measured[] {
  const row = (kind: Measured["kind"], read: (one: MeasuredConversation) => number | boolean | null): Measured => {
    const of = (side: boolean) =>
      conversations.flatMap((one): Observed[] => {
        const value = read(one);
        return one.isCompared === side && value !== null ? [{ day: one.day, value: Number(value) }] : [];
      });
    return { kind, finding: null, baseline: of(false), compared: of(true) };
  };
  return [
    row("errors", ({ failed }) => failed),
    row("thumbs_down", ({ thumbsDown }) => thumbsDown),
    row("cost", ({ cost }) => cost),
    row("latency", ({ latencyMs }) => latencyMs),
  ];
}

/**
 * Returns a Finding's share of the conversations that its Rule read in the same version and with the same settings: of several
 * such groups, the one with which most can be compared. A Rule that reads otherwise makes a Finding rarer by itself.
 */
function findingRow(finding: ComparedFinding, counts: readonly ReadingCount[], history: RuleHistory): Measured {
  const { ruleId, ...shown } = finding;
  const ofRule = counts.filter((one) => one.ruleId === ruleId);
  const groups = Map.groupBy(ofRule, (one) => history.kindOf(one));
  const total = (some: readonly ReadingCount[], isCompared: boolean) =>
    some.reduce(
      (sum, one) => sum + (one.isCompared === isCompared && one.findingId === null ? one.conversations : 0),
      0,
    );
  const sizeOf = (some: readonly ReadingCount[]) => {
    const [first, second] = [total(some, false), total(some, true)];
    return (first * second) / Math.max(1, first + second);
  };
  const best = [...groups.values()].sort((a, b) => sizeOf(b) - sizeOf(a))[0] ?? [];
  const side = (isCompared: boolean): Observed[] => {
    const days = Map.groupBy(
      best.filter((one) => one.isCompared === isCompared),
      ({ day }) => day,
    );
    return [...days].flatMap(([day, some]) => {
      const sum = (findingId: string | null) =>
        some.reduce((total, one) => total + (one.findingId === findingId ? one.conversations : 0), 0);
      const affected = sum(finding.id);
      return Array.from({ length: sum(null) }, (_, n) => ({ day, value: n < affected ? 1 : 0 }));
    });
  };
  return { kind: "finding", finding: shown, baseline: side(false), compared: side(true) };
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
