import type { OwnDefinition } from "@/server/services/diagnostics/own-rules/schemas";

export const NEW_RULE: OwnDefinition = {
  name: "",
  problem: "",
  appliesWhen: null,
  criteria: [],
  severity: "medium",
  filter: { toolsCalled: [], toolsNotCalled: [], words: [], minUserMessages: 0, evaluators: [] },
  asks: 3,
};

/** Returns the description as it is sent: an empty "when" is any conversation. */
export const sentOf = (draft: OwnDefinition): OwnDefinition => ({
  ...draft,
  appliesWhen: draft.appliesWhen?.trim() || null,
});

/** Whether there is enough to try. */
export const isTryable = ({ problem }: OwnDefinition): boolean => problem.trim() !== "";

/** The name that a trial has, which need not be chosen yet. */
export const triedOf = (draft: OwnDefinition): OwnDefinition => ({
  ...sentOf(draft),
  name: draft.name.trim() || "Unnamed",
});
