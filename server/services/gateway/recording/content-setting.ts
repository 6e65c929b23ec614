import { eq } from "drizzle-orm";
import { z } from "zod";
import { projects } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { readAhead } from "@/server/platform/database/read-ahead";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";

async function read({ db, projectId }: Ctx): Promise<{ content: boolean }> {
  const [row] = await db.select({ content: projects.gatewayContent }).from(projects).where(eq(projects.id, projectId));
  if (!row) throw notFound("The project");
  return row;
}

const setting = readAhead(read);

/** Returns whether the content of the project's calls is stored, at most a few seconds old. */
export const storesContent = async (ctx: Ctx): Promise<boolean> => (await setting(ctx)).content;

const recordingReply = z.object({
  recording: z.object({ content: z.boolean().describe("Whether the content of calls is stored.") }),
});

export const getGatewayRecording = verb(
  {
    name: "gatewayRecording.get",
    summary: "Get whether the content of the gateway’s calls is stored.",
    description:
      "Content is what people, models and tools say: messages, answers, arguments and results of tools, descriptions of tools, and what an endpoint says of a failure. Model, usage, cost, times, state, user, conversation and the names of tools are always stored.",
    effect: "read",
    capability: "workspace:read",
    input: z.strictObject({}),
    reply: recordingReply,
  },
  async (ctx) => ({ recording: await read(ctx) }),
);

export const updateGatewayRecording = verb(
  {
    name: "gatewayRecording.update",
    summary: "Set whether the content of the gateway’s calls is stored.",
    description:
      "Applies to calls that begin afterwards, within five seconds; stored calls are not changed. Without content, Rules that read messages find nothing, and calls can be neither replayed nor collected as Examples. What applications send as telemetry themselves is stored as before.",
    effect: "write",
    capability: "project:admin",
    input: z.strictObject({ content: z.boolean() }),
    reply: recordingReply,
  },
  async (ctx, { content }) => {
    const isOurs = eq(projects.id, ctx.projectId);
    const [before] = await ctx.db
      .select({ content: projects.gatewayContent })
      .from(projects)
      .where(isOurs)
      .for("no key update");
    if (!before) throw notFound("The project");
    await ctx.db.update(projects).set({ gatewayContent: content }).where(isOurs);
    auditNote(ctx, { target: null, before, after: { content } });
    return { recording: { content } };
  },
);
