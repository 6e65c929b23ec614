import { and, eq, sql } from "drizzle-orm";
import type { PgUpdateSetSource } from "drizzle-orm/pg-core";
import { NOW } from "@/db/now";
import { backfills } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import type { Ctx } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { backfillRequested } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { configuredRules } from "../settings/rule-settings";
import { requireEnabled } from "./backfill-rule";
import { isFinished, readBackfill } from "./read-backfills";
import { backfillIdInput, backfillReply, requestedBackfillReply } from "./schemas";

type Row = typeof backfills.$inferSelect;

const CONTROL = {
  effect: "write" as const,
  capability: "diagnostics:write" as const,
  input: backfillIdInput,
  reply: backfillReply,
  writeOnlyReply: { unless: ["diagnostics:read" as const], reply: requestedBackfillReply },
};

export const pauseBackfill = verb(
  {
    name: "backfills.pause",
    summary: "Pause a backfill: no further Runs are queued.",
    description:
      "The few Runs that are already queued still execute. Pausing a paused backfill has no effect; one that has ended is a 409.",
    ...CONTROL,
  },
  async (ctx, { backfillId }) => {
    const row = await lockUnfinished(ctx, backfillId);
    if (row.pausedAt === null) await change(ctx, row, { pausedAt: NOW });
    return { backfill: await readBackfill(ctx, backfillId) };
  },
);

export const resumeBackfill = verb(
  {
    name: "backfills.resume",
    summary: "Resume a paused or failed backfill where it stopped.",
    description:
      "Conversations that were already queued are not queued again. Resuming a backfill in progress has no effect; one that has completed or was cancelled is a 409, as is one whose Rule is turned off.",
    ...CONTROL,
  },
  async (ctx, { backfillId }) => {
    const row = await lock(ctx, backfillId);
    if (row.cancelledAt !== null) throw new ServiceError("conflict", "The backfill was cancelled. Start a new one.");
    if (isFinished(row) && row.scanStatus !== "failed") throw hasEnded();
    if (row.pausedAt !== null || row.scanStatus === "failed") {
      const configured = (await configuredRules(ctx)).find(({ rule }) => rule.id === row.ruleId);
      if (!configured) throw notFound("Rule");
      requireEnabled(configured);
      const restarted = { scanStatus: "scanning" as const, error: null, finishedAt: null };
      // Time spent paused says nothing about the rate.
      await change(ctx, row, { pausedAt: null, rateAt: null, ...(row.scanStatus === "failed" ? restarted : {}) });
      await emit(ctx.db, backfillRequested.create({ projectId: ctx.projectId, backfillId }));
    }
    return { backfill: await readBackfill(ctx, backfillId) };
  },
);

export const cancelBackfill = verb(
  {
    name: "backfills.cancel",
    summary: "Cancel a backfill: its queued Runs are skipped.",
    description:
      "Runs in progress still finish, and existing results stay. The backfill is `failed` with `cancelledAt`. One that has ended is a 409.",
    ...CONTROL,
  },
  async (ctx, { backfillId }) => {
    const row = await lockUnfinished(ctx, backfillId);
    // A Run that a worker is just starting is locked, so it is skipped here and finishes.
    await ctx.db.execute(sql`
      update rule_runs set status = 'skipped', skip_reason = 'The backfill was cancelled.', finished_at = ${NOW}
      where project_id = ${ctx.projectId} and id in (
        select id from rule_runs
        where project_id = ${ctx.projectId} and backfill_id = ${backfillId} and status = 'queued'
        for update skip locked)`);
    await change(ctx, row, {
      scanStatus: "failed",
      error: "The backfill was cancelled.",
      cursor: null,
      pausedAt: null,
      cancelledAt: NOW,
      finishedAt: NOW,
    });
    return { backfill: await readBackfill(ctx, backfillId) };
  },
);

const hasEnded = () => new ServiceError("conflict", "The backfill has ended.");

/** Locks out the backfill's job, but not Runs, whose counts reference the row. */
async function lock({ db, projectId }: Ctx, backfillId: string): Promise<Row> {
  const [row] = await db
    .select()
    .from(backfills)
    .where(and(eq(backfills.projectId, projectId), eq(backfills.id, backfillId)))
    .for("no key update");
  if (!row) throw notFound("Backfill");
  return row;
}

async function lockUnfinished(ctx: Ctx, backfillId: string): Promise<Row> {
  const row = await lock(ctx, backfillId);
  if (isFinished(row)) throw hasEnded();
  return row;
}

async function change(ctx: Ctx, row: Row, changed: PgUpdateSetSource<typeof backfills>) {
  const [after] = await ctx.db
    .update(backfills)
    .set(changed)
    .where(and(eq(backfills.projectId, ctx.projectId), eq(backfills.id, row.id)))
    .returning();
  const shown = ({ scanStatus, pausedAt, cancelledAt }: Row) => ({ scanStatus, pausedAt, cancelledAt });
  auditNote(ctx, { before: shown(row), after: after ? shown(after) : {} });
}
