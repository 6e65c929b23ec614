import { and, eq, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { findings, fixes } from "@/db/schema";
import type { FIX_VERDICTS } from "@/db/schema/enumerations";
import { type Ctx, inTransaction, type ProjectId } from "@/server/platform/context";
import { DAY_MS, HOUR_MS } from "@/server/platform/durations";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { recordEvents } from "../findings/finding-events";
import type { FindingFix } from "../findings/schemas";
import { type FixRow, findingOfFix, startedFix } from "./fix-rows";
import { firstWith, servicesOf, versionsSince } from "./marks";
import { DAYS_SINCE_FIX, measureFix } from "./measure-fix";

/** Fixes measured at a time, and for how long: what is left stays due, so that many fixes do not keep the database busy. */
const AT_ONCE = 100;
const TURN_MS = 5_000;
/** A measurement takes at most this share of the time until the next. */
const SHARE_OF_TIME = 1 / 200;

/**
 * Looks for the first conversations with fixes that are due, and measures those that have begun. One that fails is due again
 * later and does not block the others; the error is thrown at the end.
 */
export async function measureDueFixes(db: Db): Promise<{ measured: number }> {
  const due = await db
    .select({ row: fixes, signal: findings.signal })
    .from(fixes)
    .innerJoin(findings, findingOfFix)
    .where(sql`${fixes.dueAt} <= ${NOW}`)
    .orderBy(fixes.dueAt, fixes.projectId, fixes.id)
    .limit(AT_ONCE);
  const failures: unknown[] = [];
  const until = performance.now() + TURN_MS;
  let measured = 0;
  for (const one of due) {
    if (performance.now() > until) break;
    measured += 1;
    const ctx: Ctx = { db, projectId: one.row.projectId as ProjectId, actor: { kind: "job", name: "measure-fixes" } };
    await measureOne(ctx, one).catch(async (error: unknown) => {
      failures.push(error);
      logger("diagnostics").error({ err: loggable(error), fixId: one.row.id }, "Could not measure a fix.");
      await db
        .update(fixes)
        .set({ dueAt: sql`${NOW} + ${HOUR_MS}::bigint` })
        .where(isAsRead(one.row));
    });
  }
  if (failures.length > 0)
    throw new Error(`${failures.length} of ${measured} fixes could not be measured.`, { cause: failures[0] });
  return { measured };
}

/** Condition: nothing was measured, ended or started anew since the row was read. */
const isAsRead = ({ projectId, id, dueAt }: FixRow) =>
  and(eq(fixes.projectId, projectId), eq(fixes.id, id), eq(fixes.dueAt, dueAt ?? 0));

async function measureOne(ctx: Ctx, { row: read, signal }: { row: FixRow; signal: string }) {
  const began = performance.now();
  const row = read.startedAt === null ? { ...read, ...(await startOf(ctx, read)) } : read;
  const started = startedFix({ row, signal });
  const found = started && (await measureFix(ctx, started));
  const now = await databaseNow(ctx.db);
  const isOver = now > (row.startedAt ?? row.createdAt) + DAYS_SINCE_FIX * DAY_MS;
  const pause = Math.max(HOUR_MS, Math.round((performance.now() - began) / SHARE_OF_TIME));
  await inTransaction(ctx, async (tx) => {
    const [stored] = await tx.db
      .update(fixes)
      .set({
        value: row.value,
        startedAt: row.startedAt,
        ...(found && isFuller(found, row) ? measuredAs(found) : {}),
        ...(isOver ? { endedAt: NOW, endReason: "over", dueAt: null } : { dueAt: sql`${NOW} + ${pause}::bigint` }),
      })
      .where(isAsRead(read))
      .returning({ verdict: fixes.verdict });
    if (stored && found) await judge(tx, row, found, { stored: stored.verdict, tells: !isFromBefore(read, now) });
  });
}

/**
 * Whether a fix went out long before it was first measured, as those did that an earlier release knew as resolutions only:
 * commenting on all their tickets at once would be noise.
 */
const isFromBefore = ({ startedAt, createdAt, measuredAt }: FixRow, now: number) =>
  startedAt !== null && measuredAt === null && createdAt < now - DAY_MS;

/** Returns the version and the time at which a fix went out that was still to come. */
async function startOf(ctx: Ctx, row: FixRow): Promise<Partial<Pick<FixRow, "value" | "startedAt">>> {
  const { by, value, createdAt } = row;
  if (by === null) return {};
  if (value !== null) return { startedAt: await firstWith(ctx, { by, value }, createdAt - DAYS_SINCE_FIX * DAY_MS) };
  const [next] = await versionsSince(ctx, await servicesOf(ctx, row.findingId), createdAt);
  return next ? { value: next.value, startedAt: next.firstAt } : {};
}

const measuredAs = ({ id: _, at: __, ...measured }: FindingFix) => ({ measured, measuredAt: NOW });

/** Whether a comparison is of no fewer conversations than the last: old ones are deleted after a while. */
function isFuller({ before, since }: FindingFix, { measured }: FixRow): boolean {
  const last = measured as Pick<FindingFix, "before" | "since"> | null;
  const sizeOf = (of: Pick<FindingFix, "before" | "since">) => of.before.conversations + of.since.conversations;
  return last === null || before.conversations + since.conversations >= sizeOf(last);
}

type Verdict = (typeof FIX_VERDICTS)[number];
const RANK: Record<Verdict, number> = { not_enough: 0, not_proven: 1, proven: 2, regressed: 3 };

/**
 * Returns the verdict after another look: the limits hold over all looks together, so that what was proven at one of them is
 * proven, and only a recurrence of what was resolved takes it back.
 */
export const laterVerdict = (stored: Verdict | null, seen: Verdict): Verdict =>
  stored !== null && RANK[stored] >= RANK[seen] ? stored : seen;

/** Stores a verdict that changed, and tells it: in the Finding's history and, from there, in its ticket. */
async function judge(
  tx: Ctx,
  { projectId, id, findingId }: FixRow,
  found: FindingFix,
  { stored, tells }: { stored: Verdict | null; tells: boolean },
) {
  const verdict = laterVerdict(stored, found.verdict);
  if (verdict === stored) return;
  await tx.db
    .update(fixes)
    .set({ verdict, verdictAt: NOW })
    .where(and(eq(fixes.projectId, projectId), eq(fixes.id, id)));
  if (!tells || (verdict !== "proven" && verdict !== "not_proven")) return;
  const { before, since, difference, by, value } = found;
  await recordEvents(tx, [
    {
      findingId,
      kind: verdict === "proven" ? "fix_proven" : "fix_not_proven",
      detail: { fixId: id, by, value, before: before.rate?.rate, since: since.rate?.rate, difference },
    },
  ]);
}
