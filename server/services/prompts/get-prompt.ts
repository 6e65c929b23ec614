import { verb } from "@/server/platform/verb";
import { readVersion } from "./prompts";
import { getPromptInput, promptReply } from "./schemas";

export const getPrompt = verb(
  {
    name: "prompts.get",
    summary: "Read a version of a prompt, as applications do.",
    description:
      "By default the version that the label `production` points to, and without that label the newest; `chosenBy` says which it was. Where both are given, `version` decides. A label that the prompt does not have is a 404, after which a client should no longer use what it cached. Send the `ETag` of a reply as `If-None-Match` to get a 304 while nothing has changed. A minute of caching is fine: a moved label then takes effect within a minute.",
    effect: "read",
    capability: "workspace:read",
    revalidated: true,
    input: getPromptInput,
    reply: promptReply,
  },
  async (ctx, wanted) => ({ prompt: await readVersion(ctx, wanted) }),
);
