import type { RuleOccurrence } from "./run-rule";

/** Signals that describe what another one, listed first to last, describes better where both quote the same messages. */
const LEADS: Readonly<Record<string, readonly string[]>> = {
  refusal: ["over_refusal"],
  explicit_correction: ["ignored_correction", "accepted_correction"],
  accepted_correction: ["ignored_correction"],
};

/** Signals of which a conversation has one: an assistant that is stuck declines and asks again by turns. */
const ONCE: ReadonlySet<string> = new Set(["repeated_message"]);

/** How directly a Signal tells of a failure that several describe: the lowest gives the Finding its name. */
const RANKS: Readonly<Record<string, number>> = {
  tool_error: 1,
  tool_error_ignored: 2,
  repeated_tool_call: 2,
  restarted_work: 3,
  unresolved_request: 3,
  ended_by_limit: 3,
  repeated_message: 3,
  abandonment: 1,
};

/** A Signal as a part of an occurrence. `rank` is 0 where it is absent. */
export type RankedOccurrence = RuleOccurrence & { rank?: number };

/**
 * Gives Signals that describe the same turn as a more telling one its cause, so that one failure is one Finding and they are
 * its evidence. A Signal that also quotes other turns keeps its own.
 */
export function asEvidenceOfLeads(occurrences: readonly RuleOccurrence[]): readonly RankedOccurrence[] {
  const seen = new Set<string>();
  return onceEach(occurrences)
    .map((one) => {
      const leads = (LEADS[one.signal] ?? []).flatMap((name) => occurrences.filter(({ signal }) => signal === name));
      const lead = leads.find((other) => isWithin(one, other));
      if (lead) return { ...one, cause: lead.cause, rank: 1 };
      const rank = RANKS[one.signal];
      return rank === undefined ? one : { ...one, rank };
    })
    .filter(({ signal, cause }) => {
      const key = `${signal} ${cause}`;
      return !seen.has(key) && seen.add(key);
    });
}

/** Merges what a conversation has once: the cause with the most evidence stands for all. */
function onceEach(occurrences: readonly RuleOccurrence[]): readonly RuleOccurrence[] {
  const leads = new Map<string, RuleOccurrence>();
  for (const one of occurrences) {
    const lead = leads.get(one.signal);
    if (!ONCE.has(one.signal)) continue;
    if (!lead || one.evidence.length > lead.evidence.length) leads.set(one.signal, one);
  }
  return occurrences.flatMap((one) => {
    const lead = leads.get(one.signal);
    if (!lead) return [one];
    if (lead !== one) return [];
    const others = occurrences.filter((other) => other.signal === one.signal && other !== one);
    const evidence = [one, ...others]
      .flatMap((each) => each.evidence)
      .slice(0, EVIDENCE)
      .sort((a, b) => (a.messageIndex ?? 0) - (b.messageIndex ?? 0));
    return [{ ...one, evidence }];
  });
}

/** Quotes of an occurrence that stands for several. */
const EVIDENCE = 100;

function isWithin(one: RuleOccurrence, lead: RuleOccurrence): boolean {
  const quoted = new Set(lead.evidence.map(({ messageIndex }) => messageIndex));
  return one.evidence.every(({ messageIndex }) => messageIndex !== null && quoted.has(messageIndex));
}
