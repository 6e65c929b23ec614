import { z } from "zod";
import { ALERT_EVENTS, DELIVERY_STATES, NOTICE_KINDS, SEVERITIES } from "@/db/schema/enumerations";
import { changing, filledText, idInput, pageInput, pagination } from "@/server/platform/schemas";

export const noticeKind = z.enum(NOTICE_KINDS);
export type NoticeKind = z.infer<typeof noticeKind>;
const severity = z.enum(SEVERITIES);

const fields = {
  name: filledText(120, "Enter a name."),
  /** The id of a connection of kind `webhook`. */
  connectionId: idInput,
  enabled: z.boolean(),
  kinds: z
    .array(noticeKind)
    .min(1, "Choose at least one.")
    .max(NOTICE_KINDS.length)
    .transform((kinds) => NOTICE_KINDS.filter((kind) => kinds.includes(kind))),
  /** The minimum severity of announced Findings. */
  minSeverity: severity,
  /** Only Findings of these Rules; empty: of all Rules. */
  ruleIds: z
    .array(z.string().min(1).max(100))
    .max(50)
    .transform((ids) => [...new Set(ids)].sort()),
  /** A new Finding is announced once it occurs in this many conversations. */
  minConversations: z.int().min(1).max(1_000_000),
};

/** Which Findings are announced, and to which webhook. Times are Unix ms. */
export const notificationRule = z.object({
  id: z.string(),
  name: z.string(),
  connectionId: z.string(),
  enabled: z.boolean(),
  kinds: z.array(noticeKind),
  minSeverity: severity,
  ruleIds: z.array(z.string()),
  minConversations: z.int(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type NotificationRule = z.infer<typeof notificationRule>;

export const createNotificationRuleInput = z.strictObject({
  name: fields.name,
  connectionId: fields.connectionId,
  enabled: fields.enabled.default(true),
  kinds: fields.kinds.default([...NOTICE_KINDS]),
  minSeverity: fields.minSeverity.default("info"),
  ruleIds: fields.ruleIds.default([]),
  minConversations: fields.minConversations.default(1),
});
export const notificationRuleIdInput = z.strictObject({ notificationRuleId: idInput });
export const updateNotificationRuleInput = changing(
  z.strictObject({
    notificationRuleId: idInput,
    name: fields.name.optional(),
    connectionId: fields.connectionId.optional(),
    enabled: fields.enabled.optional(),
    kinds: fields.kinds.optional(),
    minSeverity: fields.minSeverity.optional(),
    ruleIds: fields.ruleIds.optional(),
    minConversations: fields.minConversations.optional(),
  }),
  ["notificationRuleId"],
);
export const notificationRuleReply = z.object({ notificationRule });
export const listNotificationRulesInput = z.strictObject(pageInput);
export const notificationRulesReply = z.object({ notificationRules: z.array(notificationRule), pagination });

export const deliveryState = z.enum(DELIVERY_STATES);

/** A message to a webhook, with the Findings or the alert that it is about. Times are Unix ms. */
export const delivery = z.object({
  id: z.string(),
  connectionId: z.string(),
  connectionName: z.string(),
  /** Its number among the connection's deliveries, from 1, which the message contains: after an outage they may arrive in another order. */
  sequence: z.int(),
  state: deliveryState,
  attempts: z.int(),
  /** Why the last attempt failed; `null` if it did not. */
  error: z.string().nullable(),
  /** Number of notices; a digest has several, and lists the first 20. 0 for a message about an alert. */
  noticeCount: z.int(),
  notices: z.array(z.object({ kind: noticeKind, findingId: z.string(), title: z.string() })),
  /** The alert that began or ceased to fire; `null` for a message about Findings. */
  alert: z.object({ alertId: z.string(), name: z.string(), event: z.enum(ALERT_EVENTS) }).nullable(),
  createdAt: z.number(),
  lastAttemptAt: z.number().nullable(),
  deliveredAt: z.number().nullable(),
});
export type Delivery = z.infer<typeof delivery>;

export const listDeliveriesInput = z.strictObject({
  state: deliveryState.optional(),
  connectionId: z.string().max(200).optional(),
  ...pageInput,
});
export const deliveriesReply = z.object({ deliveries: z.array(delivery), pagination });
export const deliveryIdInput = z.strictObject({ deliveryId: idInput });
export const deliveryReply = z.object({ delivery });
/** The reply to a replay for callers who may not read deliveries. */
export const replayedDeliveryReply = z.object({ delivery: delivery.pick({ id: true, state: true }) });

/** A webhook that accepted no message for a day, and gets none until it is resumed. */
export const pausedWebhook = z.object({
  connectionId: z.string(),
  connectionName: z.string(),
  /** Unix ms. */
  pausedAt: z.number(),
  /** Number of messages that failed since the last that it accepted. */
  failed: z.int(),
  /** Number of notices that were not sent. */
  waiting: z.int(),
});
export type PausedWebhook = z.infer<typeof pausedWebhook>;
export const pausedWebhooksReply = z.object({ pausedWebhooks: z.array(pausedWebhook) });
export const resumeWebhookInput = z.strictObject({ connectionId: idInput });
/** `queued`: the number of failed messages that are sent again. */
export const resumedWebhookReply = z.object({ resumed: z.object({ connectionId: z.string(), queued: z.int() }) });
