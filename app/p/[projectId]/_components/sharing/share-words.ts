import type { ShareLink } from "@/server/services/sharing/schemas";

/** What is shared: one of the two. */
export type Sharable = { conversationId: string } | { findingId: string };

type Masking = ShareLink["masking"];

/** What each choice leaves out, the default first. */
export const MASKING_WORDS: Record<Masking, { label: string; description: string }> = {
  personal_data: {
    label: "Mask personal data and credentials",
    description: "What is recognized is replaced with placeholders such as <EMAIL_1>. Recognition can miss some.",
  },
  content: {
    label: "Hide what was said",
    description: "Shows who spoke, which tools were called and how long each text was.",
  },
  nothing: { label: "Mask nothing", description: "Everything as it was sent. Only owners can share this." },
};

/** How long a link can work, in days. */
export const DAYS_OFFERED = [1, 7, 30] as const;

const WHAT: Record<"conversation" | "finding", string> = { conversation: "A conversation", finding: "A Finding" };

/** What a link shows, as a name. */
export const nameOfShared = ({ name, conversationId }: Pick<ShareLink, "name" | "conversationId">) =>
  name ?? WHAT[conversationId === null ? "finding" : "conversation"];

/** The project's links that work, for its settings. */
export const activeLinksInput = (projectId: string) => ({ projectId, active: true, limit: 100 });
