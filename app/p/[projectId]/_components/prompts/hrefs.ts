import { PROMPT_NAME } from "@/server/services/prompts/schemas";
import { type PromptReference, promptText } from "@/server/services/telemetry/schemas";
import { serializeView as conversationsSearch } from "../../conversations/_components/view";
import { versionsHref } from "../../versions/_components/view";

/** Returns the URL of a prompt's page, with a version open in it if one is given. */
export const promptHref = (projectId: string, name: string, version?: number) =>
  `/p/${encodeURIComponent(projectId)}/prompts/${encodeURIComponent(name)}${version === undefined ? "" : `?peek=${version}`}`;

/** Returns whether a prompt of the project could have this name: clients of others send any text. */
export const isPromptName = (name: string) => PROMPT_NAME.test(name);

/** The days of a page's numbers, `[from, to)` in Unix ms, for the lists that it links to. */
type Days = { from: number; to: number };
const within = (days: Days) => ({ range: "custom", ...days }) as const;

/** Returns the URL of the conversations that have a call of a version of a prompt. */
export const promptConversationsHref = (projectId: string, prompt: PromptReference, days: Days, more: object = {}) =>
  `/p/${encodeURIComponent(projectId)}/conversations${conversationsSearch({ prompt: [promptText(prompt)], ...within(days), ...more })}`;

/** Returns the URL of the comparison of two versions of a prompt. */
export const promptComparisonHref = (
  projectId: string,
  name: string,
  { baseline, compared }: { baseline: string; compared: string },
  days: Days,
) =>
  versionsHref(projectId, {
    by: "prompt",
    baseline: promptText({ name, version: baseline }),
    compared: promptText({ name, version: compared }),
    ...within(days),
  });
