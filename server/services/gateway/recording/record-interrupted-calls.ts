import { randomUUID } from "node:crypto";
import { and, eq, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { gatewayCalls } from "@/db/schema";
import { type Ctx, inTransaction, type ProjectId } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { type decodeTraces, storeTraces } from "@/server/services/telemetry";
import { isCall, LEASE_END } from "./calls-in-progress";

type Spans = ReturnType<typeof decodeTraces>["items"];

const AT_ONCE = 500;

/** The call was recorded meanwhile, or its content was deleted. */
class Gone extends Error {}

/**
 * Records calls whose process has died as failed, with what had arrived of their answers. A call is recorded in the transaction
 * that removes its row, under the ids of its own spans, so that it is counted once even if its process lives after all. What it
 * has reserved of budgets stays spent.
 */
export async function recordInterruptedCalls(db: Db): Promise<{ recorded: number }> {
  const holder = randomUUID();
  const due = await db.execute<{ project_id: string; id: string }>(sql`
    update gateway_calls c set held_by = ${holder}, leased_until = ${LEASE_END} from (
      select project_id, id from gateway_calls where leased_until < ${NOW}
      order by leased_until, project_id, id limit ${AT_ONCE} for update skip locked
    ) as due
    where c.project_id = due.project_id and c.id = due.id
    returning c.project_id, c.id`);
  let recorded = 0;
  for (const { project_id: projectId, id } of due) {
    const name = "record-interrupted-calls";
    const ctx: Ctx = { db, projectId: projectId as ProjectId, actor: { kind: "job", name } };
    recorded += (await recordOne(ctx, id, holder)) ? 1 : 0;
  }
  return { recorded };
}

async function recordOne(ctx: Ctx, id: string, holder: string): Promise<boolean> {
  const isMine = and(isCall(ctx, id), eq(gatewayCalls.heldBy, holder));
  const [row] = await ctx.db.select().from(gatewayCalls).where(isMine);
  if (!row) return false;
  const spans = row.spans as Spans;
  const items = spans.map((span, index) =>
    index === spans.length - 1 ? { ...span, attributes: { ...row.request, ...span.attributes } } : span,
  ) as Spans;
  try {
    await inTransaction(ctx, async (tx) => {
      await storeTraces(tx, { items, received: items.length, rejections: [] });
      if ((await tx.db.delete(gatewayCalls).where(isMine)).count === 0) throw new Gone();
    });
    return true;
  } catch (error) {
    if (error instanceof Gone) return false;
    // One that cannot be recorded must not stop the others; it is tried again when its lease is over, for a day.
    logger("gateway").error({ err: loggable(error), projectId: ctx.projectId }, NOT_RECORDED);
    if (row.startedAt < (await databaseNow(ctx.db)) - DAY_MS) await ctx.db.delete(gatewayCalls).where(isMine);
    return false;
  }
}
const NOT_RECORDED = "An interrupted call could not be recorded.";
