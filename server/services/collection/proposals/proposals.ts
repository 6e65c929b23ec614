import type { ConversationSnapshot } from "@/server/services/diagnostics/detectors/reading";
import type { Drafts } from "./drafts";
import { maskExample } from "./masking/mask-example";
import { correctFailedConversations } from "./objectives/correct-failed-conversations";
import { learnFromUserCorrections } from "./objectives/learn-from-user-corrections";
import { preserveSuccessfulBehavior } from "./objectives/preserve-successful-behavior";
import { teachProjectKnowledge } from "./objectives/teach-project-knowledge";
import type { CollectionEvidence, CollectionSettings, Objective, Propose, Proposed } from "./types";

type Read = (
  conversation: ConversationSnapshot,
  evidence: CollectionEvidence,
  settings: CollectionSettings,
  propose: Propose | null,
) => Drafts | Promise<Drafts>;

const OBJECTIVES: Readonly<Record<Objective, Read>> = {
  preserve_successful_behavior: preserveSuccessfulBehavior,
  correct_failed_conversations: (conversation, evidence, _, propose) =>
    correctFailedConversations(conversation, evidence, propose),
  learn_from_user_corrections: (conversation, _, settings) => learnFromUserCorrections(conversation, settings),
  teach_project_knowledge: teachProjectKnowledge,
};

/**
 * Returns what an objective proposes for a settled conversation, and how often each reason left something out. If `propose` is
 * given, asks the connected model, but only about answers that nobody has corrected.
 */
export async function proposals(
  conversation: ConversationSnapshot,
  evidence: CollectionEvidence,
  settings: CollectionSettings,
  propose: Propose | null = null,
): Promise<Proposed> {
  const { objective, masking } = settings;
  const drafts = await OBJECTIVES[objective](conversation, evidence, settings, propose);
  const proposed: Proposed["proposals"] = [];
  for (const draft of drafts.list) {
    const masked = maskExample(draft.payload, masking);
    if (masked) proposed.push({ objective, ...draft, ...masked });
    else drafts.leave("personal_data");
  }
  return { proposals: proposed, left: drafts.left };
}
