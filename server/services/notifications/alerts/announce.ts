import { and, eq, isNull, sql } from "drizzle-orm";
import { databaseNow } from "@/db/database-now";
import { NOW } from "@/db/now";
import { alertChannels, connections, memberships, projects, users } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { newId } from "@/server/platform/ids";
import { deliveryQueued } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { publicUrl } from "@/server/platform/public-url";
import { composeEmail, mailEnabled, queueMail } from "@/server/services/mail";
import { type AlertEvent, type AnnouncedAlert, alertPath, alertSentence } from "./alert-message";

/** A message about an alert that is older than this is of no use. */
const MAIL_LASTS_MS = DAY_MS;
/** What the log says of a message to a paused webhook, which is sent when it is resumed. */
const PAUSED = "The webhook is paused.";

type Alert = { id: string; mailMembers: boolean };

/** Queues the messages about a firing that begins or ends, in the transaction in which it does. */
export async function announce(
  tx: Ctx,
  alert: Alert,
  firing: AnnouncedAlert & { firingId: string },
  event: AlertEvent,
) {
  const channels = await tx.db
    .select({ connectionId: connections.id, pausedAt: connections.pausedAt })
    .from(alertChannels)
    .innerJoin(
      connections,
      and(eq(connections.projectId, alertChannels.projectId), eq(connections.id, alertChannels.connectionId)),
    )
    .where(and(eq(alertChannels.projectId, tx.projectId), eq(alertChannels.alertId, alert.id)))
    .orderBy(connections.id);
  for (const { connectionId, pausedAt } of channels) {
    const id = newId("dlv");
    const isPaused = pausedAt !== null;
    await tx.db.execute(sql`
      with numbered as (
        update connections set last_sequence = last_sequence + 1
        where project_id = ${tx.projectId} and id = ${connectionId} returning last_sequence)
      insert into deliveries
        (project_id, id, connection_id, sequence, notice_count, alert_firing_id, alert_event, state, error, last_attempt_at)
      select ${tx.projectId}, ${id}, ${connectionId}, last_sequence, 0, ${firing.firingId}, ${event},
        ${isPaused ? "failed" : "queued"}, ${isPaused ? PAUSED : null}::text, ${isPaused ? NOW : sql`null::bigint`}
      from numbered`);
    if (!isPaused) await emit(tx.db, deliveryQueued.create({ projectId: tx.projectId, deliveryId: id }));
  }
  if (alert.mailMembers && mailEnabled()) await mailToMembers(tx, firing, event);
}

async function mailToMembers(tx: Ctx, alert: AnnouncedAlert, event: AlertEvent) {
  const [project] = await tx.db.select({ name: projects.name }).from(projects).where(eq(projects.id, tx.projectId));
  const members = await tx.db
    .select({ email: users.email })
    .from(memberships)
    .innerJoin(users, eq(users.id, memberships.userId))
    .where(and(eq(memberships.projectId, tx.projectId), isNull(users.disabledAt)))
    .orderBy(users.id);
  const expiresAt = (await databaseNow(tx.db)) + MAIL_LASTS_MS;
  const letter = composeEmail({
    subject: `${event === "fired" ? "Firing" : "Cleared"}: ${alert.name} (${project?.name})`,
    before: [`${alertSentence(alert, event)}.`],
    link: publicUrl(alertPath(tx.projectId, alert.id)),
    after: ["Every member of the project gets this e-mail. The alert's page says when it is sent."],
  });
  for (const { email } of members)
    await queueMail(tx.db, { kind: "alert", projectId: tx.projectId, expiresAt, to: email, letter });
}
