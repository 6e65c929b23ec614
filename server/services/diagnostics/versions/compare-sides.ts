import type { Ctx } from "@/server/platform/context";
import { type RuleHistory, ruleHistory } from "../findings/readings";
import { judgeRows, type Measured, type Observed, type Sides } from "./judge-rows";
import {
  type ComparedFinding,
  type MeasuredConversation,
  type ReadingCount,
  readConversations,
  readFindings,
} from "./read-sides";
import type { ComparedRow } from "./schemas";

/** Conversations of each side that are compared, the newest. */
export const COMPARED_MAX = 5000;

/** Compares two sets of conversations by Findings, errors, thumbs down, costs and latency. `without`: a Finding that is left out. */
export async function compareSides(
  ctx: Ctx,
  ids: Sides<readonly string[]>,
  { without }: { without?: string } = {},
): Promise<{ conversations: MeasuredConversation[]; rows: ComparedRow[] }> {
  const conversations = await readConversations(ctx, ids);
  const { findings, counts } = await readFindings(ctx, ids);
  const history = await ruleHistory(ctx, [...new Set(findings.map(({ ruleId }) => ruleId))]);
  const rows = judgeRows([
    ...findings.filter(({ id }) => id !== without).map((finding) => findingRow(finding, counts, history)),
    ...ofConversations(conversations),
  ]);
  return { conversations, rows };
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
