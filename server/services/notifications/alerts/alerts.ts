import { and, eq, inArray, type SQL, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import { alertChannels, alerts, connections, findings } from "@/db/schema";
import { type Ctx, hasCapability, requireCapability } from "@/server/platform/context";
import { notFound, ServiceError, unprocessable } from "@/server/platform/errors";
import { mailEnabled } from "@/server/services/mail";
import type { Alert, AlertSettings } from "./schemas";
import { type AlertDefinition, type AlertMeasure, CHANGE_MIN_COUNT, MEASURES } from "./types";

export type AlertRow = typeof alerts.$inferSelect;

/** Each alert reads a project's calls every minute. */
const ALERTS_MAX = 50;

const COST_MEASURES = (Object.keys(MEASURES) as AlertMeasure[]).filter((measure) => MEASURES[measure].isCost);

/** Condition: alerts that the caller may see, who may not be allowed to read costs. */
export const isReadable = (ctx: Ctx): SQL | undefined =>
  hasCapability(ctx, ["model-pricing:read"]) ? undefined : sql`${alerts.measure} <> all(${textArray(COST_MEASURES)})`;

/** Throws `forbidden` for a measure of costs if the caller may not read them. */
export function requireMeasure(ctx: Ctx, measure: AlertMeasure) {
  if (MEASURES[measure].isCost) requireCapability(ctx, ["model-pricing:read"]);
}

export const isAlert = (ctx: Ctx, id: string) => and(eq(alerts.projectId, ctx.projectId), eq(alerts.id, id));

/** Reads an alert that the transaction is about to change or delete. */
export async function lockAlert(tx: Ctx, id: string): Promise<AlertRow> {
  const [row] = await tx.db
    .select()
    .from(alerts)
    .where(and(isAlert(tx, id), isReadable(tx)))
    .for("update");
  if (!row) throw notFound("The alert");
  return row;
}

/** Returns the ids of the webhooks of some alerts, by alert. */
export async function channelsOf(ctx: Ctx, alertIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await ctx.db
    .select({ alertId: alertChannels.alertId, connectionId: alertChannels.connectionId })
    .from(alertChannels)
    .where(and(eq(alertChannels.projectId, ctx.projectId), inArray(alertChannels.alertId, [...alertIds])))
    .orderBy(alertChannels.connectionId);
  const channels = new Map<string, string[]>();
  for (const { alertId, connectionId } of rows) channels.set(alertId, [...(channels.get(alertId) ?? []), connectionId]);
  return channels;
}

/** Replaces the webhooks of an alert; throws `unprocessable` unless each is one of the project's, with a secret. */
export async function setChannels(tx: Ctx, alertId: string, connectionIds: readonly string[]) {
  const usable = await tx.db
    .select({ id: connections.id })
    .from(connections)
    .where(
      and(
        eq(connections.projectId, tx.projectId),
        inArray(connections.id, [...connectionIds]),
        eq(connections.kind, "webhook"),
        sql`${connections.secretSealed} is not null`,
      ),
    );
  const ids = new Set(usable.map(({ id }) => id));
  if (connectionIds.some((id) => !ids.has(id)))
    throw unprocessable("/connectionIds", "Each must be a webhook connection of this project that has a secret.");
  await tx.db
    .delete(alertChannels)
    .where(and(eq(alertChannels.projectId, tx.projectId), eq(alertChannels.alertId, alertId)));
  if (connectionIds.length > 0)
    await tx.db
      .insert(alertChannels)
      .values(connectionIds.map((connectionId) => ({ projectId: tx.projectId, alertId, connectionId })));
}

/** Throws `unprocessable` for what JSON Schema cannot say about an alert. */
export async function checkDefinition(ctx: Ctx, { measure, model, label, findingId, condition }: AlertDefinition) {
  const { filters, changes } = MEASURES[measure];
  if (condition === "change" && !changes)
    throw unprocessable("/condition", "This measure is compared with a threshold only.");
  if (model !== null && filters === "none") throw unprocessable("/model", "This measure is not divided by model.");
  if (label !== null && filters === "none") throw unprocessable("/label", "This measure is not divided by label.");
  if (model !== null && label !== null && filters === "either")
    throw unprocessable("/label", "This measure is divided by model or by label, not by both.");
  if (measure !== "finding_share") {
    if (findingId !== null) throw unprocessable("/findingId", "Only the share of a Finding has one.");
    return;
  }
  const [finding] = await ctx.db
    .select({ id: findings.id })
    .from(findings)
    .where(and(eq(findings.projectId, ctx.projectId), eq(findings.id, findingId ?? "")));
  if (!finding) throw unprocessable("/findingId", "Name a Finding of this project.");
}

/** Throws `unprocessable` if members are to get e-mails that this installation does not send. */
export function checkMail(mailMembers: boolean) {
  if (mailMembers && !mailEnabled())
    throw unprocessable("/mailMembers", "This installation sends no e-mail: SMTP_URL is not set.");
}

/** Returns the minimum number of calls by default. */
export const minCountOf = ({ measure, condition }: Pick<AlertDefinition, "measure" | "condition">) =>
  condition === "change" ? CHANGE_MIN_COUNT : MEASURES[measure].minCount;

export async function requireRoom({ db, projectId }: Ctx) {
  const [counted] = await db.execute<{ count: number }>(
    sql`select count(*)::int as count from alerts where project_id = ${projectId}`,
  );
  if ((counted?.count ?? 0) >= ALERTS_MAX)
    throw new ServiceError("conflict", `A project has at most ${ALERTS_MAX} alerts. Delete one first.`);
}

type WithoutProject = Omit<AlertRow, "projectId">;
const settingsOf = ({
  streak: _,
  state: __,
  evaluatedAt: ___,
  value: ____,
  count: _____,
  limitValue: ______,
  calibratedDay: _______,
  factor: ________,
  ...settings
}: WithoutProject) => settings;

export const settingsJson = ({ projectId: _, ...row }: AlertRow, connectionIds: readonly string[]): AlertSettings => ({
  ...settingsOf(row),
  connectionIds: [...connectionIds],
});

export const alertJson = (
  { projectId: _, streak: __, calibratedDay: ___, ...row }: AlertRow,
  connectionIds: readonly string[],
): Alert => ({
  ...row,
  connectionIds: [...connectionIds],
});

/** Returns what the audit log records of an alert. */
export function audited(row: AlertRow, connectionIds: readonly string[]) {
  const { id: _, createdAt: __, updatedAt: ___, ...settings } = settingsJson(row, connectionIds);
  return settings;
}
