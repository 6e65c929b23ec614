import { auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { lockPrompt } from "./prompts";
import { createPromptVersionInput, promptVersionReply, VERSIONS_MAX } from "./schemas";
import { writeVersion } from "./write-version";

export const createPromptVersion = verb(
  {
    name: "prompts.createVersion",
    summary: "Add a version to a prompt.",
    description: `It gets the next number and is the newest from now on; a version never changes. Clients get it once a label that they follow points to it: \`labels\` moves some at once. A prompt has at most ${VERSIONS_MAX.toLocaleString("en")} versions (409 beyond).`,
    effect: "write",
    capability: "models:manage",
    input: createPromptVersionInput,
    reply: promptVersionReply,
  },
  async (ctx, { promptName: name, ...version }) => {
    const row = await lockPrompt(ctx, name);
    if (row.latestVersion >= VERSIONS_MAX)
      throw new ServiceError("conflict", `The prompt has ${VERSIONS_MAX} versions. Create another one.`);
    const prompt = await writeVersion(ctx, { ...row, latestVersion: row.latestVersion + 1 }, version);
    auditNote(ctx, {
      target: { type: "prompt", id: row.id },
      after: { name, version: prompt.version, message: prompt.message, labels: version.labels },
    });
    return { prompt };
  },
);
