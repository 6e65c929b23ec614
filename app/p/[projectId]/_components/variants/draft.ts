const nameOf = (projectId: string) => `whetstone:variant-draft:${projectId}`;

/** What the playground carries into a new variant. Prompts do not belong in an address, which servers log. */
export type VariantDraft = {
  /** `null`: none was written. */
  systemPrompt: string | null;
  temperature: number;
  maxTokens: number;
  /** The deployment or the base model that was asked; `null` for a checkpoint, which only the playground serves. */
  asked: { kind: "deployment" | "base"; id: string } | null;
};

/** Keeps a draft for this tab only, until the next one. */
export const storeDraft = (projectId: string, draft: VariantDraft) =>
  sessionStorage.setItem(nameOf(projectId), JSON.stringify(draft));

/** Returns the draft that was carried last; `null` without one. */
export function storedDraft(projectId: string): VariantDraft | null {
  const text = typeof window === "undefined" ? null : sessionStorage.getItem(nameOf(projectId));
  return text === null ? null : (JSON.parse(text) as VariantDraft);
}
