import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import { retentionSettings } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { previewRetentionInput, previewRetentionReply, retentionReply, updateRetentionInput } from "./schemas";

const DAY_MS = 86_400_000;
/** Beyond this a person wants to know that there are many, and not to wait. */
const COUNTED = 100_000;

export const cutoffOf = (days: number, now = Date.now()) => now - days * DAY_MS;

/**
 * Of conversations `c` whose last activity is older, and that got nothing new since either: an import of last year's
 * conversations is kept for the days that its project keeps conversations.
 */
export const expiredBefore = (before: number) =>
  sql`c.last_activity_at < ${before}::bigint and c.received_at < ${before}::bigint`;

export async function readRetention(ctx: Pick<Ctx, "db" | "projectId">) {
  const [row] = await ctx.db.select().from(retentionSettings).where(eq(retentionSettings.projectId, ctx.projectId));
  return { days: row?.days ?? null, updatedAt: row?.updatedAt ?? null };
}

export const getRetention = verb(
  {
    name: "retention.get",
    summary: "Read for how many days conversations are kept after their last activity.",
    effect: "read",
    capability: "workspace:read",
    input: z.strictObject({}),
    reply: retentionReply,
  },
  async (ctx) => ({ retention: await readRetention(ctx) }),
);

export const updateRetention = verb(
  {
    name: "retention.update",
    summary: "Set for how many days conversations are kept after their last activity, at least 1; `null` keeps them.",
    description:
      "What is older goes in the background, within a day, and leaves a receipt. Ask for a preview first: there is no way back.",
    effect: "write",
    capability: "project:admin",
    input: updateRetentionInput,
    reply: retentionReply,
  },
  async (ctx, { days }) => {
    const before = await readRetention(ctx);
    const row = { projectId: ctx.projectId, days, updatedAt: Date.now() };
    await ctx.db
      .insert(retentionSettings)
      .values(row)
      .onConflictDoUpdate({ target: retentionSettings.projectId, set: row });
    auditNote(ctx, { before: { days: before.days }, after: { days } });
    return { retention: await readRetention(ctx) };
  },
);

export const previewRetention = verb(
  {
    name: "retention.preview",
    summary: "Count the conversations that keeping them for so many days would delete now.",
    description: `Counting stops at ${COUNTED.toLocaleString("en")}: \`complete\` is \`false\` then, and there are more.`,
    effect: "read",
    capability: "project:admin",
    input: previewRetentionInput,
    reply: previewRetentionReply,
  },
  async (ctx, { days }) => {
    const before = cutoffOf(days);
    const [row] = await ctx.db.execute<{ conversations: number; oldest: string | null }>(sql`
      select count(*)::int as conversations, min(last_activity_at) as oldest from (
        select c.last_activity_at from conversations c
        where c.project_id = ${ctx.projectId} and ${expiredBefore(before)}
        order by c.last_activity_at limit ${COUNTED + 1}
      ) oldest`);
    const found = row?.conversations ?? 0;
    return {
      preview: {
        days,
        before,
        conversations: Math.min(found, COUNTED),
        complete: found <= COUNTED,
        oldestActivityAt: row?.oldest == null ? null : Number(row.oldest),
      },
    };
  },
);
