import { z } from "zod";
import {
  CODE_REFERENCE_KINDS,
  CODE_REFERENCE_STATES,
  SEVERITIES,
  TICKET_CHANGE_KINDS,
  TICKET_CHANGE_REASONS,
  TICKET_CHANGE_STATES,
  TRACKER_DELIVERY_STATES,
  TRACKER_KINDS,
  WORK_ITEM_STATES,
} from "@/db/schema/enumerations";
import { changing, filledText, idInput, oneOrSeveral, pageInput, pagination } from "@/server/platform/schemas";
import { namedActor } from "@/server/services/members/schemas";

export const provider = z.enum(TRACKER_KINDS);
export const workItemState = z.enum(WORK_ITEM_STATES);

/** As the tracker writes it: `owner/repo`, `group/project`, a team key, a project key. */
const destination = filledText(200);

/** A Finding's ticket in an issue tracker. Times are Unix ms. */
export const workItem = z.object({
  id: z.string(),
  findingId: z.string(),
  findingTitle: z.string(),
  provider,
  connectionId: z.string(),
  destination: z.string(),
  /** `null` until the ticket exists, like the three after it. */
  externalId: z.string().nullable(),
  /** As people write it: `owner/repo#12`, `ENG-12`. */
  externalKey: z.string().nullable(),
  url: z.string().nullable(),
  state: workItemState,
  /** The tracker's name for its state. */
  externalState: z.string().nullable(),
  /** Why the last call of the tracker failed. */
  error: z.string().nullable(),
  /** When the failed call is tried again; `null` if nothing failed, or only a person can retry it. */
  nextAttemptAt: z.number().nullable(),
  replacedById: z.string().nullable(),
  /** The handoff rule that created it. */
  handoffRuleId: z.string().nullable(),
  createdBy: namedActor,
  createdAt: z.number(),
  updatedAt: z.number(),
  /** When the ticket was last read. */
  lastSyncedAt: z.number().nullable(),
});
export type WorkItem = z.infer<typeof workItem>;

export const handOffInput = z.strictObject({
  findingId: idInput,
  provider,
  /** Default: the connection's. */
  destination: destination.optional(),
  /** Which connection to use if the project has several to this tracker. Default: the oldest. */
  connectionId: idInput.optional(),
});
export type HandOff = z.output<typeof handOffInput>;
/** Input of the older variant, which uses the project's tracker. */
export const repairHandoffInput = handOffInput.pick({ findingId: true });
export const workItemReply = z.object({ workItem });
/** Reply to a caller who may not read diagnostics. */
export const changedWorkItemReply = z.object({ workItem: workItem.pick({ id: true, findingId: true, state: true }) });

export const workItemIdInput = z.strictObject({ workItemId: idInput });
export const findingWorkItemInput = z.strictObject({ findingId: idInput, workItemId: idInput });
export const replaceWorkItemInput = handOffInput.extend({ workItemId: idInput });

export const listWorkItemsInput = z.strictObject({
  /** One or several values (repeat the parameter). */
  state: oneOrSeveral(workItemState).optional(),
  provider: provider.optional(),
  ...pageInput,
});
export const listFindingWorkItemsInput = z.strictObject({ findingId: idInput, ...pageInput });
export const workItemsReply = z.object({ workItems: z.array(workItem), pagination });

/** A change that we made to a ticket, have queued, or saw in the tracker. */
export const ticketChange = z.object({
  id: z.string(),
  kind: z.enum(TICKET_CHANGE_KINDS),
  state: z.enum(TICKET_CHANGE_STATES),
  reason: z.enum(TICKET_CHANGE_REASONS).nullable(),
  externalState: z.string().nullable(),
  error: z.string().nullable(),
  createdAt: z.number(),
  doneAt: z.number().nullable(),
});
export const listTicketChangesInput = z.strictObject({ findingId: idInput, workItemId: idInput, ...pageInput });
export const ticketChangesReply = z.object({ changes: z.array(ticketChange), pagination });

/** A commit or a pull request that names the ticket. */
export const codeReference = z.object({
  id: z.string(),
  workItemId: z.string(),
  kind: z.enum(CODE_REFERENCE_KINDS),
  url: z.string(),
  title: z.string(),
  state: z.enum(CODE_REFERENCE_STATES).nullable(),
  at: z.number(),
});
export const codeReferencesReply = z.object({ references: z.array(codeReference) });

export const HAND_OFF_MANY_MAX = 100;
export const handOffManyInput = z.strictObject({
  findingIds: z.array(idInput).min(1).max(HAND_OFF_MANY_MAX),
  provider,
  destination: destination.optional(),
  connectionId: idInput.optional(),
});
/** For each Finding, in order: its work item, whose ticket a job creates, or why there is no new one. */
export const handOffManyReply = z.object({
  results: z.array(
    z.object({ findingId: z.string(), workItemId: z.string().nullable(), problem: z.string().nullable() }),
  ),
});

export const PREVIEW_MAX = 20;
export const previewHandOffInput = z.strictObject({
  /** Default: the newest Finding. */
  findingIds: z.array(idInput).min(1).max(PREVIEW_MAX).optional(),
  provider,
  destination: destination.optional(),
  connectionId: idInput.optional(),
  /** Templates to try; default: those of the connection. */
  titleTemplate: z.string().max(500).nullable().optional(),
  bodyTemplate: z.string().max(20_000).nullable().optional(),
});
export const previewHandOffReply = z.object({
  /** `null`: the connection has no default. */
  destination: z.string().nullable(),
  labels: z.array(z.string()),
  tickets: z.array(
    z.object({
      findingId: z.string(),
      title: z.string(),
      /** Markdown, as it would be sent. */
      body: z.string(),
      /** Places where personal data or a secret is masked. */
      masked: z.int(),
      /** Why no ticket would be created. */
      problem: z.string().nullable(),
    }),
  ),
});

/** A delivery of a tracker's webhook. */
export const trackerDelivery = z.object({
  id: z.string(),
  connectionId: z.string(),
  deliveryId: z.string(),
  event: z.string(),
  externalId: z.string().nullable(),
  destination: z.string().nullable(),
  workItemId: z.string().nullable(),
  state: z.enum(TRACKER_DELIVERY_STATES),
  error: z.string().nullable(),
  receivedAt: z.number(),
  processedAt: z.number().nullable(),
  /** When reading the ticket is tried again; `null` if it was read. */
  nextAttemptAt: z.number().nullable(),
});
export const listTrackerDeliveriesInput = z.strictObject({
  connectionId: idInput.optional(),
  state: z.enum(TRACKER_DELIVERY_STATES).optional(),
  ...pageInput,
});
export const trackerDeliveriesReply = z.object({ trackerDeliveries: z.array(trackerDelivery), pagination });
export const trackerDeliveryIdInput = z.strictObject({ trackerDeliveryId: idInput });
export const trackerDeliveryReply = z.object({ trackerDelivery });
export const replayedTrackerDeliveryReply = z.object({
  trackerDelivery: trackerDelivery.pick({ id: true, state: true }),
});

const severity = z.enum(SEVERITIES);
const ruleFields = {
  name: filledText(120, "Enter a name."),
  connectionId: idInput,
  destination: destination.nullable(),
  enabled: z.boolean(),
  /** The least severe Findings that are handed off. */
  minSeverity: severity,
  /** Only Findings of these Rules; empty: of every Rule. */
  ruleIds: z
    .array(z.string().min(1).max(100))
    .max(50)
    .transform((ids) => [...new Set(ids)].sort()),
  minConversations: z.int().min(1).max(1_000_000),
  /** Only Findings that a person confirmed. */
  confirmedOnly: z.boolean(),
  /** Tickets a day (UTC). */
  dailyLimit: z.int().min(1).max(1000),
};
/** Which new Findings are handed to a tracker automatically. Times are Unix ms. */
export const handoffRule = z.object({
  id: z.string(),
  ...ruleFields,
  name: z.string(),
  connectionId: z.string(),
  destination: z.string().nullable(),
  ruleIds: z.array(z.string()),
  minConversations: z.int(),
  dailyLimit: z.int(),
  /** Tickets of today (UTC). */
  usedToday: z.int(),
  createdAt: z.number(),
  updatedAt: z.number(),
});
export type HandoffRule = z.infer<typeof handoffRule>;
export const createHandoffRuleInput = z.strictObject({
  name: ruleFields.name,
  connectionId: ruleFields.connectionId,
  destination: ruleFields.destination.default(null),
  enabled: ruleFields.enabled.default(true),
  minSeverity: ruleFields.minSeverity.default("high"),
  ruleIds: ruleFields.ruleIds.default([]),
  minConversations: ruleFields.minConversations.default(5),
  confirmedOnly: ruleFields.confirmedOnly.default(false),
  dailyLimit: ruleFields.dailyLimit.default(5),
});
export const handoffRuleIdInput = z.strictObject({ handoffRuleId: idInput });
export const updateHandoffRuleInput = changing(
  z.strictObject({
    handoffRuleId: idInput,
    name: ruleFields.name.optional(),
    connectionId: ruleFields.connectionId.optional(),
    destination: ruleFields.destination.optional(),
    enabled: ruleFields.enabled.optional(),
    minSeverity: ruleFields.minSeverity.optional(),
    ruleIds: ruleFields.ruleIds.optional(),
    minConversations: ruleFields.minConversations.optional(),
    confirmedOnly: ruleFields.confirmedOnly.optional(),
    dailyLimit: ruleFields.dailyLimit.optional(),
  }),
  ["handoffRuleId"],
);
export const handoffRuleReply = z.object({ handoffRule });
export const listHandoffRulesInput = z.strictObject(pageInput);
export const handoffRulesReply = z.object({ handoffRules: z.array(handoffRule), pagination });
