import { eq } from "drizzle-orm";
import { LRUCache } from "lru-cache";
import { z } from "zod";
import { projects } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import type { Masking } from "../masking";
import { maskingReply, updateMaskingInput } from "../schemas";

/** A change takes effect within five seconds in every process, and batches need no query of their own. */
const CACHE_TTL_MS = 4000;
const CACHED_PROJECTS_MAX = 10_000;

const cache = new LRUCache<string, Promise<Masking>>({ max: CACHED_PROJECTS_MAX, ttl: CACHE_TTL_MS });

async function readMasking({ db, projectId }: Pick<Ctx, "db" | "projectId">): Promise<Masking> {
  const [row] = await db.select({ messages: projects.maskMessages }).from(projects).where(eq(projects.id, projectId));
  if (!row) throw notFound("The project");
  return row;
}

/** Returns the project's masking setting, at most a few seconds old. */
export function maskingOf(ctx: Ctx): Promise<Masking> {
  const cached = cache.get(ctx.projectId);
  if (cached) return cached;
  const reading = readMasking(ctx);
  cache.set(ctx.projectId, reading);
  reading.catch(() => cache.delete(ctx.projectId));
  return reading;
}

export const getMasking = verb(
  {
    name: "masking.get",
    summary: "Get whether credentials in message text are masked as well.",
    description:
      "Outside message text, credentials are always masked before they are stored: only harmless headers are kept, and values that look like a key, password or token, or have such a name, are replaced. A batch's receipt contains the number of masked values.",
    effect: "read",
    capability: "workspace:read",
    input: z.strictObject({}),
    reply: maskingReply,
  },
  async (ctx) => ({ masking: await readMasking(ctx) }),
);

export const updateMasking = verb(
  {
    name: "masking.update",
    summary: "Set whether credentials in message text are masked as well.",
    description:
      "Message text is what people, models and tools said: prompts, responses, arguments and results. A change applies to telemetry that arrives afterwards, within five seconds; stored telemetry is not changed.",
    effect: "write",
    capability: "project:admin",
    input: updateMaskingInput,
    reply: maskingReply,
  },
  async (ctx, { messages }) => {
    const [before] = await ctx.db
      .select({ messages: projects.maskMessages })
      .from(projects)
      .where(eq(projects.id, ctx.projectId))
      .for("no key update");
    if (!before) throw notFound("The project");
    await ctx.db.update(projects).set({ maskMessages: messages }).where(eq(projects.id, ctx.projectId));
    cache.delete(ctx.projectId);
    auditNote(ctx, { target: null, before, after: { messages } });
    return { masking: { messages } };
  },
);
