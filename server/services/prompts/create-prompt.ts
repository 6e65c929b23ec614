import { eq, sql } from "drizzle-orm";
import { prompts } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { verb } from "@/server/platform/verb";
import { createPromptInput, kindOf, PROMPTS_MAX, promptVersionReply } from "./schemas";
import { writeVersion } from "./write-version";

export const createPrompt = verb(
  {
    name: "prompts.create",
    summary: "Create a managed prompt with its first version.",
    description: `Applications read it by name and label, and name it on their spans, so that calls, costs and Findings are told per version. Whether it is a text or a chat is decided by its content and stays. Names are unique (409). A project has at most ${PROMPTS_MAX} prompts (409 beyond).`,
    effect: "write",
    capability: "models:manage",
    input: createPromptInput,
    reply: promptVersionReply,
  },
  async (ctx, { name, ...version }) => {
    await requireRoom(ctx);
    const [row] = await ctx.db
      .insert(prompts)
      .values({ projectId: ctx.projectId, id: newId("prm"), name, kind: kindOf(version.content), latestVersion: 1 })
      .onConflictDoNothing({ target: [prompts.projectId, prompts.name] })
      .returning();
    if (!row)
      throw new ServiceError(
        "conflict",
        `There is a prompt ${name} already. Add a version to it, or choose another name.`,
      );
    const prompt = await writeVersion(ctx, row, version);
    auditNote(ctx, { target: { type: "prompt", id: row.id }, after: { name, kind: row.kind, labels: version.labels } });
    return { prompt };
  },
);

/** Serializes counting: prompts created concurrently would not see each other. */
async function requireRoom({ db, projectId }: Ctx) {
  await db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`prompts ${projectId}`}, 0))`);
  if ((await db.$count(prompts, eq(prompts.projectId, projectId))) >= PROMPTS_MAX)
    throw new ServiceError("conflict", `The project has ${PROMPTS_MAX} prompts. Delete some first.`);
}
