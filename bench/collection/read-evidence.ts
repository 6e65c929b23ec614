import type { CollectedOccurrence, CollectionEvidence, Goal } from "@/server/services/collection/proposals";
import { DEFAULT_CONFIGURATION, RULES, runDetectors } from "@/server/services/diagnostics/rules";
import type { ConversationSnapshot } from "@/server/services/diagnostics/types";

/** Returns what the product would know about a conversation whose Findings nobody has reviewed. */
export const evidenceOf = (conversation: ConversationSnapshot, goals: readonly Goal[]): CollectionEvidence => ({
  occurrences: occurrencesIn(conversation),
  feedback: conversation.feedback ?? [],
  goals,
});

function occurrencesIn(conversation: ConversationSnapshot): CollectedOccurrence[] {
  return RULES.flatMap((rule) =>
    runDetectors(rule, conversation, DEFAULT_CONFIGURATION).occurrences.map(({ signal, cause, title, evidence }) => ({
      findingId: `${rule.id}/${signal}/${cause}`,
      rule: rule.id,
      signal,
      title,
      turns: evidence.flatMap(({ messageIndex }) => (messageIndex === null ? [] : [messageIndex])),
      reviewStatus: "unreviewed" as const,
    })),
  );
}
