import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { jobEvents, retentionSettings } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import { CONVERSATIONS_COUNTED, impactOf } from "@/server/services/deletion";
import { previewRetentionInput, previewRetentionReply, retentionReply, updateRetentionInput } from "./schemas";

const DAY_MS = 86_400_000;
/** Beyond this a person wants to know that there are many, and not to wait. */
const COUNTED = 100_000;
/** Every hour at this minute (UTC) projects whose housekeeping of the day is not told yet are told. */
export const HOUSEKEEPING_MINUTE = 17;
const HOUR_MS = 3_600_000;

export const cutoffOf = (days: number, now: number) => now - days * DAY_MS;

/**
 * Of conversations `c` whose last activity is older, and that got nothing new since either: an import of last year's
 * conversations is kept for the days that its project keeps conversations.
 */
export const expiredBefore = (before: number) =>
  sql`c.last_activity_at < ${before}::bigint and c.received_at < ${before}::bigint`;

/** The day of a project's housekeeping, `2026-11-20`. */
export const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
/** One event a project and day: told twice, it is one. */
export const housekeepingId = (projectId: string, day: string) => `housekeeping:${projectId}:${day}`;

/** When the project's housekeeping is told the next time: this day's still, or tomorrow's first. */
async function nextHousekeeping({ db, projectId }: Ctx): Promise<number> {
  const now = await databaseNow(db);
  const told = await db.$count(jobEvents, eq(jobEvents.id, housekeepingId(projectId, dayOf(now))));
  const from = told > 0 ? Math.ceil((now + 1) / DAY_MS) * DAY_MS : now;
  const minute = HOUSEKEEPING_MINUTE * 60_000;
  return Math.ceil((from - minute) / HOUR_MS) * HOUR_MS + minute;
}

const retentionOf = async (ctx: Ctx) => ({ ...(await readRetention(ctx)), nextRunAt: await nextHousekeeping(ctx) });

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
  async (ctx) => ({ retention: await retentionOf(ctx) }),
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
    const row = { projectId: ctx.projectId, days, updatedAt: NOW };
    await ctx.db
      .insert(retentionSettings)
      .values(row)
      .onConflictDoUpdate({ target: retentionSettings.projectId, set: row });
    auditNote(ctx, { before: { days: before.days }, after: { days } });
    return { retention: await retentionOf(ctx) };
  },
);

export const previewRetention = verb(
  {
    name: "retention.preview",
    summary: "Count the conversations that keeping them for so many days would delete now.",
    description: `Counting stops at ${COUNTED.toLocaleString("en")}: \`complete\` is \`false\` then, and there are more. What goes with them is counted up to ${CONVERSATIONS_COUNTED} conversations: \`impact\` is \`null\` beyond.`,
    effect: "read",
    capability: "project:admin",
    input: previewRetentionInput,
    reply: previewRetentionReply,
  },
  async (ctx, { days }) => {
    const before = cutoffOf(days, await databaseNow(ctx.db));
    const [row] = await ctx.db.execute<{ conversations: number; oldest: string | null }>(sql`
      select count(*)::int as conversations, min(last_activity_at) as oldest from (
        select c.last_activity_at from conversations c
        where c.project_id = ${ctx.projectId} and ${expiredBefore(before)}
        order by c.last_activity_at limit ${COUNTED + 1}
      ) oldest`);
    const found = row?.conversations ?? 0;
    const ids =
      found <= CONVERSATIONS_COUNTED
        ? await ctx.db.execute<{ id: string }>(
            sql`select c.id from conversations c where c.project_id = ${ctx.projectId} and ${expiredBefore(before)} limit ${CONVERSATIONS_COUNTED}`,
          )
        : null;
    return {
      preview: {
        days,
        before,
        conversations: Math.min(found, COUNTED),
        complete: found <= COUNTED,
        oldestActivityAt: row?.oldest == null ? null : Number(row.oldest),
        impact:
          ids &&
          (await impactOf(
            ctx,
            [...ids].map(({ id }) => id),
          )),
      },
    };
  },
);
