import { eq, sql } from "drizzle-orm";
import { z } from "zod";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { jobEvents, retentionSettings } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS, HOUR_MS } from "@/server/platform/durations";
import { verb } from "@/server/platform/verb";
import { CONVERSATIONS_COUNTED, impactOf } from "@/server/services/deletion";
import { previewRetentionInput, previewRetentionReply, retentionReply, updateRetentionInput } from "./schemas";

/** Counting stops here: beyond this, "many" is enough for a person, and counting takes too long. */
const COUNTED = 100_000;
/** The minute of every hour (UTC) at which the day's housekeeping is queued for projects that still lack it. */
export const HOUSEKEEPING_MINUTE = 17;

export const cutoffOf = (days: number, now: number) => now - days * DAY_MS;

/**
 * Returns the condition on conversations `c` whose last activity and last change are both older. Imported conversations
 * are therefore kept for the full retention period after their import.
 */
export const expiredBefore = (before: number) =>
  sql`c.last_activity_at < ${before}::bigint and c.received_at < ${before}::bigint`;

/** Returns the UTC day of a project's housekeeping, as `2026-11-20`. */
export const dayOf = (at: number) => new Date(at).toISOString().slice(0, 10);
/** Returns the event id of a project's housekeeping, which deduplicates it per day. */
export const housekeepingId = (projectId: string, day: string) => `housekeeping:${projectId}:${day}`;

/** Returns when the project's housekeeping is queued next (Unix ms): still today, or first thing tomorrow. */
async function nextHousekeeping({ db, projectId }: Ctx): Promise<number> {
  const now = await databaseNow(db);
  const isQueued = await db.$count(jobEvents, eq(jobEvents.id, housekeepingId(projectId, dayOf(now))));
  const from = isQueued > 0 ? Math.ceil((now + 1) / DAY_MS) * DAY_MS : now;
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
    summary: "Read how many days conversations are kept after their last activity.",
    description:
      "`days` is `null` if conversations are kept forever. `nextRunAt` says when older ones are deleted next.",
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
    summary:
      "Set how many days conversations are kept after their last activity, at least 1; `null` keeps them forever.",
    description:
      "Older conversations are deleted in the background within a day, with a receipt. Request a preview first: this can't be undone.",
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
    summary: "Count the conversations that a retention period would delete now.",
    description: `Counting stops at ${COUNTED.toLocaleString("en")}; \`complete\` is then \`false\`. What is deleted with them is counted for up to ${CONVERSATIONS_COUNTED} conversations; beyond that \`impact\` is \`null\`.`,
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
