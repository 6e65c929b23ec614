import "server-only";

export { createPrompt } from "./create-prompt";
export { createPromptVersion } from "./create-prompt-version";
export { deletePrompt } from "./delete-prompt";
export { getPrompt } from "./get-prompt";
export { listLabelEvents } from "./list-label-events";
export { listPromptVersions } from "./list-prompt-versions";
export { listPrompts } from "./list-prompts";
export { moveLabel } from "./move-label";
export { promptUsage } from "./prompt-usage";
export { renderPrompt } from "./render-prompt";
