import { and, eq, isNull, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { databaseNow } from "@/db/database-now";
import { alertFirings, alerts } from "@/db/schema";
import { type Ctx, inTransaction, type ProjectId } from "@/server/platform/context";
import { DAY_MS, MINUTE_MS } from "@/server/platform/durations";
import { newId } from "@/server/platform/ids";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { advance, stateOf } from "./advance";
import { type AlertRow, isAlert } from "./alerts";
import { announce } from "./announce";
import { clearsAfter, type Reading, readReadings } from "./readings/readings";

/**
 * Evaluates every alert that was not evaluated in this minute. State, firing and messages of an alert commit together, so that
 * a process may die anywhere, and two may evaluate at once. `at` replaces the database's time in tests.
 */
export async function evaluateAlerts(db: Db, at?: number): Promise<{ evaluated: number; fired: number }> {
  const now = at ?? (await databaseNow(db));
  const due = await db.execute<{ project_id: string; id: string }>(sql`
    select project_id, id from alerts where enabled and ${isDue(now)}
    -- A change is calibrated once a day, which takes longer: nothing else waits for it.
    order by condition = 'change' and calibrated_day is distinct from ${startOfDay(now)}::bigint, project_id, id`);
  const done = { evaluated: 0, fired: 0 };
  for (const { project_id: projectId, id } of due) {
    const ctx: Ctx = { db, projectId: projectId as ProjectId, actor: { kind: "job", name: "evaluate-alerts" } };
    try {
      const event = await inTransaction(ctx, (tx) => evaluate(tx, id, now));
      done.evaluated += event === "not due" ? 0 : 1;
      done.fired += event === "fired" ? 1 : 0;
    } catch (error) {
      // One that cannot be evaluated must not stop the others; the next minute tries again.
      logger("alerts").error({ err: loggable(error), projectId, alertId: id }, "Evaluating an alert failed.");
    }
  }
  return done;
}

const startOfDay = (at: number) => Math.floor(at / DAY_MS) * DAY_MS;
const isDue = (now: number) =>
  sql`(evaluated_at is null or evaluated_at < ${Math.floor(now / MINUTE_MS) * MINUTE_MS}::bigint)`;

async function evaluate(tx: Ctx, id: string, now: number) {
  const [alert] = await tx.db
    .select()
    .from(alerts)
    .where(and(isAlert(tx, id), eq(alerts.enabled, true), isDue(now)))
    .for("update", { skipLocked: true });
  if (!alert) return "not due" as const;
  const { calibratedDay: day, factor } = alert;
  const stored = day === null ? null : { day, factor };
  const { readings, calibration } = await readReadings(tx, alert, { from: now, to: now, now }, stored);
  const [reading] = readings;
  if (!reading) throw new Error("An evaluation has one reading.");
  const next = advance({ isFiring: alert.state === "firing", streak: alert.streak }, reading, clearsAfter(alert));
  if (next.event === "fired") await begin(tx, alert, reading);
  if (next.event === "cleared") await end(tx, alert, reading);
  const { value, count, limitValue } = reading;
  await tx.db
    .update(alerts)
    .set({
      state: stateOf(next, reading),
      streak: next.streak,
      evaluatedAt: now,
      value,
      count,
      limitValue,
      calibratedDay: calibration?.day ?? null,
      factor: calibration?.factor ?? null,
    })
    .where(isAlert(tx, id));
  return next.event;
}

async function begin(tx: Ctx, alert: AlertRow, { at, value, count, limitValue }: Reading) {
  if (value === null || limitValue === null) throw new Error("An alert fired without a value.");
  const id = newId("alf");
  await tx.db
    .insert(alertFirings)
    .values({ projectId: tx.projectId, id, alertId: alert.id, firedAt: at, value, limitValue, count });
  const firing = { ...alert, firingId: id, firedAt: at, clearedAt: null, value, limitValue, count };
  await announce(tx, alert, firing, "fired");
}

async function end(tx: Ctx, alert: AlertRow, { at, value, count, limitValue }: Reading) {
  const [firing] = await tx.db
    .update(alertFirings)
    .set({ clearedAt: at, clearedValue: value, clearedCount: count, clearedLimit: limitValue })
    .where(
      and(eq(alertFirings.projectId, tx.projectId), eq(alertFirings.alertId, alert.id), isNull(alertFirings.clearedAt)),
    )
    .returning();
  if (!firing) return;
  const cleared = { ...alert, firingId: firing.id, firedAt: firing.firedAt, clearedAt: at, value, limitValue, count };
  await announce(tx, alert, cleared, "cleared");
}
