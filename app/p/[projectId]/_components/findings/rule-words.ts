/** The built-in Rules in the order of the catalogue, for filters and names. */
export const RULES = [
  { value: "tool-failure", label: "Tool failure" },
  { value: "agent-loop", label: "Agent loop" },
  { value: "user-dissatisfaction", label: "User dissatisfaction" },
  { value: "user-correction", label: "User correction" },
  { value: "broken-response", label: "Broken response" },
  { value: "refusal", label: "Refusal" },
  { value: "provider-health", label: "Provider health" },
  { value: "task-failure", label: "Task failure" },
  { value: "unsafe-content", label: "Unsafe content" },
  { value: "ungrounded-answer", label: "Ungrounded answer" },
] as const;

/** Returns a Rule's name; its id, if it is not built in. */
export const ruleWords = (ruleId: string): string => RULES.find(({ value }) => value === ruleId)?.label ?? ruleId;
