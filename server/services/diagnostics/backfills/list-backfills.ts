import { and, eq } from "drizzle-orm";
import { backfills } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { readBackfill, readBackfills } from "./read-backfills";
import { backfillIdInput, backfillReply, backfillsReply, listBackfillsInput } from "./schemas";

export const listBackfills = verb(
  {
    name: "backfills.list",
    summary: "List backfills, newest first, with their progress.",
    description:
      "`ruleId` and `scanStatus` filter the list. `counts` has the Runs of each by status, `etaMs` the time that is expected to be left (`null` when unknown).",
    effect: "read",
    capability: "diagnostics:read",
    input: listBackfillsInput,
    reply: backfillsReply,
  },
  async (ctx, { limit, cursor, ...filters }) => {
    const list = newestFirst({
      name: "backfills",
      filters: { project: ctx.projectId, ...filters },
      time: backfills.createdAt,
      id: backfills.id,
      limit,
      cursor,
    });
    const found = await readBackfills(
      ctx,
      and(
        filters.scanStatus && eq(backfills.scanStatus, filters.scanStatus),
        filters.ruleId === undefined ? undefined : eq(backfills.ruleId, filters.ruleId),
        list.after,
      ),
      { order: list.order, limit: list.fetch },
    );
    const { rows, nextCursor } = list.page(found, ({ createdAt, id }) => [createdAt, id]);
    return { backfills: rows, pagination: { limit, nextCursor } };
  },
);

export const getBackfill = verb(
  {
    name: "backfills.get",
    summary: "Read one backfill with its progress and its Runs by status.",
    description:
      "`scanStatus` is `scanning` while conversations are being queued and `processing` until the last Run has finished. A conversation that already has a Run for the same question gets a `skipped` one that names it. A cancelled backfill is `failed` with `cancelledAt`.",
    effect: "read",
    capability: "diagnostics:read",
    input: backfillIdInput,
    reply: backfillReply,
  },
  async (ctx, { backfillId }) => ({ backfill: await readBackfill(ctx, backfillId) }),
);
