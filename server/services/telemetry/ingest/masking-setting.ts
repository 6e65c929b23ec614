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

/** As with a key: a change counts within five seconds in every process, and a batch costs no question of its own. */
const CACHE_TTL_MS = 4000;
const CACHED_PROJECTS_MAX = 10_000;

const remembered = new LRUCache<string, Promise<Masking>>({ max: CACHED_PROJECTS_MAX, ttl: CACHE_TTL_MS });

async function readMasking({ db, projectId }: Pick<Ctx, "db" | "projectId">): Promise<Masking> {
  const [row] = await db.select({ messages: projects.maskMessages }).from(projects).where(eq(projects.id, projectId));
  if (!row) throw notFound("The project");
  return row;
}

/** Returns what the project wants masked, as of a few seconds ago. */
export function maskingOf(ctx: Ctx): Promise<Masking> {
  const known = remembered.get(ctx.projectId);
  if (known) return known;
  const reading = readMasking(ctx);
  remembered.set(ctx.projectId, reading);
  reading.catch(() => remembered.delete(ctx.projectId));
  return reading;
}

export const getMasking = verb(
  {
    name: "masking.get",
    summary: "Read whether credentials are masked in the text of messages as well.",
    description:
      "Everywhere else they always are: of headers only harmless ones are stored, and what looks like a key, a password or a token, or stands under such a name, is masked before it is stored. A batch's receipt says how many there were.",
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
    summary: "Set whether credentials are masked in the text of messages as well.",
    description:
      "Messages are what people, models and tools said: prompts, answers, arguments and results. It counts for what arrives from now on, within five seconds; what is stored stays as it is.",
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
    remembered.delete(ctx.projectId);
    auditNote(ctx, { target: null, before, after: { messages } });
    return { masking: { messages } };
  },
);
