import { and, desc, lt } from "drizzle-orm";
import { z } from "zod";
import { promptVersions } from "@/db/schema";
import { codecOf } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { actorNames } from "./actor-names";
import { labelsAt, labelsOf, ofPrompt, readPrompt, versionJson } from "./prompts";
import { listPromptVersionsInput, promptVersionsReply } from "./schemas";

export const listPromptVersions = verb(
  {
    name: "prompts.versions",
    summary: "List the versions of a prompt, newest first.",
    description: "Without their texts, which `GET …/prompts/:name?version=` returns.",
    effect: "read",
    capability: "workspace:read",
    input: listPromptVersionsInput,
    reply: promptVersionsReply,
  },
  async (ctx, { promptName: name, limit, cursor }) => {
    const prompt = await readPrompt(ctx, name);
    const { encode, decode } = codecOf("prompt-versions", { project: ctx.projectId, prompt: prompt.id }, z.int());
    const found = await ctx.db
      .select()
      .from(promptVersions)
      .where(
        and(
          ofPrompt(promptVersions, prompt),
          cursor === undefined ? undefined : lt(promptVersions.version, decode(cursor)),
        ),
      )
      .orderBy(desc(promptVersions.version))
      .limit(limit + 1);
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    const labels = (await labelsOf(ctx, [prompt.id])).get(prompt.id) ?? [];
    const nameOf = await actorNames(ctx, shown);
    return {
      name,
      kind: prompt.kind,
      latestVersion: prompt.latestVersion,
      labels: labels.map(({ label, version }) => ({ label, version })),
      updatedAt: prompt.updatedAt,
      versions: shown.map((row) => ({
        ...versionJson(row, labelsAt(prompt, labels, row.version)),
        actorName: nameOf(row.actorId),
      })),
      pagination: { limit, nextCursor: found.length > limit && last ? encode(last.version) : null },
    };
  },
);
