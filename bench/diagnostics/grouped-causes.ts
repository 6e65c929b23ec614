import {
  causeKeys,
  causeScope,
  causeSimilarity,
  causeWords,
  type RankedOccurrence,
} from "@/server/services/diagnostics/rules";

/** What a Rule found in a conversation. */
export type ReadingOf = RankedOccurrence & { ruleId: string; conversationId: string };
type Cause = ReadingOf & { conversations: Set<string>; within: Cause | null };
/** A group of similar causes, described by the most direct of them. */
export type GroupedFinding = { signal: string; subject: string; title: string; conversations: ReadonlySet<string> };

/** Groups what Rules found as the service does, in memory. The largest come first. */
export function groupedCauses(readings: readonly ReadingOf[]): GroupedFinding[] {
  const causes = new Map<string, Cause>();
  for (const one of readings) {
    const key = JSON.stringify([one.ruleId, one.signal, one.cause]);
    const known = causes.get(key) ?? { ...one, conversations: new Set(), within: null };
    known.conversations.add(one.conversationId);
    causes.set(key, known);
  }
  const byKey = new Map<string, Cause[]>();
  for (const cause of causes.values()) {
    const scope = causeScope(cause);
    const words = causeWords(cause.cause, scope);
    for (const key of causeKeys("project", scope, words)) {
      const alike = byKey.get(key) ?? [];
      for (const other of alike) {
        const [mine, theirs] = [rootOf(cause), rootOf(other)];
        if (mine !== theirs && causeSimilarity(words, causeWords(other.cause, scope)) > 0) mine.within = theirs;
      }
      alike.push(cause);
      byKey.set(key, alike);
    }
  }
  const groups = Map.groupBy(causes.values(), rootOf);
  return [...groups.values()]
    .map((group) => {
      const lead = group.toSorted((a, b) => (a.rank ?? 0) - (b.rank ?? 0))[0]!;
      const conversations = new Set(group.flatMap((one) => [...one.conversations]));
      const scope = causeScope(lead);
      const subject = JSON.stringify([scope, causeWords(lead.cause, scope).subject]);
      return { signal: lead.signal, subject, title: lead.title, conversations };
    })
    .sort((a, b) => b.conversations.size - a.conversations.size);
}

function rootOf(cause: Cause): Cause {
  let root = cause;
  while (root.within) root = root.within;
  return root;
}
