import { z } from "zod";
import {
  DISMISSAL_REASONS,
  FINDING_EVENT_KINDS,
  FINDING_TRENDS,
  FIX_VERDICTS,
  RULE_RUN_ORIGINS,
  VERSION_DIMENSIONS,
} from "@/db/schema/enumerations";
import {
  filledText,
  idInput,
  listFormat,
  oneOrSeveral,
  pageInput,
  pagination,
  queryInteger,
  queryNumber,
  queryUnixMs,
} from "@/server/platform/schemas";
import { namedActor } from "@/server/services/members/schemas";
import {
  type ConfidenceBasis,
  changedFindingReply,
  finding,
  resolutionStatus,
  reviewStatus,
  severity,
} from "../schemas";

export const dismissalReason = z.enum(DISMISSAL_REASONS);
/** Why a Finding was dismissed, in words that follow "Dismissed as". */
export const REASON_WORDS: Record<z.infer<typeof dismissalReason>, string> = {
  wrong: "wrong",
  expected: "expected behaviour",
  not_important: "not important",
  duplicate: "a duplicate",
  other: "another reason",
};
/** What each basis of a confidence means. */
export const BASIS_MEANS: Record<ConfidenceBasis["basis"], string> = {
  measured: "the share of verdicts like this that people found right",
  generated: "right on conversations that we generated, which shows that it works, not how precise it is on real ones",
  assumed:
    "nobody has checked verdicts like this; it is a starting value, an adjudicator's estimate, or a keyword as such",
};
/** Whose verdicts a measured confidence counts. */
const MEASURED_BY: Record<NonNullable<ConfidenceBasis["by"]>, string> = {
  reviews: "this project's reviews",
  benchmark: "labelled conversations",
};

/** Returns what a confidence rests on, in words: `measured on labelled conversations`. */
export const restsOn = ({ basis, by }: ConfidenceBasis) =>
  basis === "measured" && by !== null ? `${basis} on ${MEASURED_BY[by]}` : basis;

export const findingSort = z.enum(["newest", "score", "conversations", "first_seen"]);

/** Events by which a Finding calls for attention. */
export const FINDING_ALERTS = ["created", "returned", "regressed", "escalating"] as const;
export type FindingAlert = (typeof FINDING_ALERTS)[number];

/** The filters of the list, which a bulk change takes too. */
export const findingFilters = {
  /** One or several values (repeat the parameter). */
  reviewStatus: oneOrSeveral(reviewStatus).optional(),
  /** One or several values. `none` matches Findings whose `resolutionStatus` is `null`. */
  resolutionStatus: oneOrSeveral(z.enum([...resolutionStatus.options, "none"])).optional(),
  severity: severity.optional(),
  minDiagnosticScore: queryNumber(0, 1).optional(),
  /** Inclusive. */
  lastDetectedAfter: queryUnixMs.optional(),
  /** Exclusive. */
  lastDetectedBefore: queryUnixMs.optional(),
  /** A Finding that both regressed and escalates matches either. */
  trend: z.enum(FINDING_TRENDS).optional(),
  /** A member's id, `me` (for a signed-in person) or `none`. */
  assignee: z.string().min(1).max(200).optional(),
  ruleId: z.string().max(100).optional(),
  signal: z.string().max(100).optional(),
  /** Words of the title, in any case. */
  q: filledText(200).optional(),
  conversationId: z.string().max(1000).optional(),
  /** Findings with such an event in their history; with `eventAfter`, since then. */
  event: z.enum(FINDING_ALERTS).optional(),
  /** Inclusive. Without `event`, any of these events counts. */
  eventAfter: queryUnixMs.optional(),
};
const filterObject = z.strictObject(findingFilters);
export type FindingFilters = z.output<typeof filterObject>;
export const countFindingsInput = filterObject;

const NOT_DISMISSED = ["unreviewed", "confirmed"] as const;
/** What waits for a person, as the list's filters. */
export const FINDING_QUEUES = {
  review: { reviewStatus: ["unreviewed"], resolutionStatus: ["unresolved", "none"] },
  regressed: { reviewStatus: NOT_DISMISSED, resolutionStatus: ["unresolved"], trend: "regressed" },
  escalating: { reviewStatus: NOT_DISMISSED, trend: "escalating" },
} as const;

export const listFindingsInput = z.strictObject({
  ...findingFilters,
  sort: findingSort.default("newest"),
  ...pageInput,
});

export const downloadFindingsInput = z.strictObject({
  ...findingFilters,
  sort: findingSort.default("newest"),
  format: listFormat,
});

const limitedCount = z.object({ count: z.int(), /** Whether there are more. */ more: z.boolean() });
const namedFinding = { id: z.string(), title: z.string(), severity };
/** What waits for a person among the Findings, and what happened since a time. Counts stop at 1,000. */
export const findingsSummary = z.object({
  review: limitedCount,
  regressed: limitedCount,
  escalating: limitedCount,
  /** The first of these: regressed, then escalating ones, then by score. `recentDays` are its conversations on the last 14 days (UTC). */
  urgent: z.array(
    z.object({
      ...namedFinding,
      trend: z.enum(FINDING_TRENDS),
      reviewStatus,
      occurrenceCount: z.int(),
      recentDays: z.array(z.int()),
    }),
  ),
  /** Findings with each event since then, as the list's filters `event` and `eventAfter` find them. */
  since: z.array(z.object({ event: z.enum(FINDING_ALERTS), ...limitedCount.shape })),
  /** The Findings whose newest such event is the most recent, with it. */
  changed: z.array(z.object({ ...namedFinding, event: z.enum(FINDING_ALERTS), at: z.number() })),
});
export type FindingsSummary = z.infer<typeof findingsSummary>;

/** What conversations are compared by. */
export const TRAIT_DIMENSIONS = [
  "model",
  "provider",
  "version",
  "label",
  "tool",
  "prompt",
  "arm",
  "language",
  "user",
  "hour",
] as const;
export type TraitDimension = (typeof TRAIT_DIMENSIONS)[number];
export const traitsInput = z.strictObject({ findingId: idInput });
/** Of `conversations`, how many have the value, with the 95% interval (Wilson) of the share. */
const traitShare = z.object({
  affected: z.int(),
  conversations: z.int(),
  interval: z.object({ rate: z.number(), low: z.number(), high: z.number() }).nullable(),
});
const trait = z.object({
  dimension: z.enum(TRAIT_DIMENSIONS),
  /** `null` for conversations that were sent without one. */
  value: z.string().nullable(),
  /** Among the conversations with the Finding. */
  affected: traitShare,
  /** Among those without it. */
  others: traitShare,
});
export const traitsReply = z.object({
  traits: z.object({
    /** Conversations compared: those with the Finding, and those without. */
    affected: z.int(),
    others: z.int(),
    /** Whether there are more, of which only the newest are compared. */
    sampled: z.boolean(),
    inCommon: z.array(trait),
    weaker: z.array(trait),
  }),
});
export type FindingTraits = z.infer<typeof traitsReply>["traits"];

/** What a person can set. `untilWorse` and `dismissalReason` belong to a dismissal. */
const settable = {
  reviewStatus: reviewStatus.optional(),
  resolutionStatus: resolutionStatus.optional(),
  /** Pins the severity; `null` returns it to the Rules. */
  severity: severity.nullable().optional(),
  /** A member's id, or `me` for a signed-in person; `null` for nobody. */
  assigneeId: idInput.nullable().optional(),
  /** `wrong` counts against the Rule. */
  dismissalReason: dismissalReason.optional(),
  /** Returns to review when it gets clearly worse. */
  untilWorse: z.boolean().optional(),
};
type Settable = z.output<z.ZodObject<typeof settable>>;

const setsAnything = (set: Settable) =>
  [set.reviewStatus, set.resolutionStatus, set.severity, set.assigneeId].some((value) => value !== undefined);
const dismissesAlone = (set: Settable) => !(set.reviewStatus === "dismissed" && set.resolutionStatus !== undefined);
const dismissesWithReason = (set: Settable) =>
  set.reviewStatus === "dismissed" || (set.dismissalReason === undefined && set.untilWorse === undefined);

const NOTHING = { message: "Send reviewStatus, resolutionStatus, severity or assigneeId." };
const NOT_BOTH = {
  message: "Dismissing clears the resolution: set it in a separate request.",
  path: ["resolutionStatus"],
};
const NO_DISMISSAL = { message: "Requires reviewStatus dismissed.", path: ["dismissalReason"] };
/** The refinements in JSON Schema. */
const AS_JSON_SCHEMA = {
  anyOf: ["reviewStatus", "resolutionStatus", "severity", "assigneeId"].map((name) => ({ required: [name] })),
  not: { required: ["reviewStatus", "resolutionStatus"], properties: { reviewStatus: { const: "dismissed" } } },
  if: { anyOf: [{ required: ["dismissalReason"] }, { required: ["untilWorse"] }] },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ["reviewStatus"], properties: { reviewStatus: { const: "dismissed" } } },
  examples: [{ reviewStatus: "confirmed" }],
};

/** At least one of the first four. Dismissing clears the resolution, so the same body cannot also set it. */
export const updateFindingInput = z
  .strictObject({ findingId: idInput, ...settable })
  .refine(setsAnything, NOTHING)
  .refine(dismissesAlone, NOT_BOTH)
  .refine(dismissesWithReason, NO_DISMISSAL)
  .meta(AS_JSON_SCHEMA);

export const BULK_IDS_MAX = 1000;
export const updateFindingsInput = z
  .strictObject({
    /** These Findings. Send either this or `filter`. */
    findingIds: z.array(idInput).min(1).max(BULK_IDS_MAX).optional(),
    /** Instead of `findingIds`: all that currently match. `{}` matches every Finding. */
    filter: filterObject.optional(),
    set: z
      .strictObject(settable)
      .refine(setsAnything, NOTHING)
      .refine(dismissesAlone, NOT_BOTH)
      .refine(dismissesWithReason, NO_DISMISSAL)
      .meta(AS_JSON_SCHEMA),
  })
  .meta({
    oneOf: [{ required: ["findingIds"] }, { required: ["filter"] }],
    examples: [{ findingIds: ["fnd_0199b2f0c0de7abc8def0123456789ab"], set: { reviewStatus: "confirmed" } }],
  });

/** What a change did. `id` undoes it. */
export const findingChange = z.object({
  id: z.string(),
  /** Findings that changed, excluding those that already were as requested. */
  count: z.int(),
  findingIds: z.array(z.string()),
});
export const findingChangeReply = z.object({ change: findingChange });
/** Reply to a caller who may not read Findings. */
export const changedFindingsReply = z.object({ change: findingChange.pick({ id: true }) });

export const undoFindingChangeInput = z.strictObject({ changeId: idInput });
/** `skipped`: Findings that were changed again in the meantime, which stay as they are. */
export const undoneReply = z.object({ restored: z.int(), skipped: z.int() });

export const mergeFindingsInput = z.strictObject({
  findingId: idInput,
  findingIds: z.array(idInput).min(1).max(50),
});
export const splitFindingInput = z
  .strictObject({
    findingId: idInput,
    /** Ids of causes: all their occurrences move, and later ones follow. */
    causes: z.array(idInput).min(1).max(500).optional(),
    /** Ids of occurrences: these conversations move, and later readings of them follow. */
    occurrences: z.array(idInput).min(1).max(500).optional(),
  })
  .refine((input) => (input.causes === undefined) !== (input.occurrences === undefined), {
    message: "Send either causes or occurrences.",
  })
  .meta({
    oneOf: [{ required: ["causes"] }, { required: ["occurrences"] }],
    examples: [{ occurrences: ["occ_0199b2f0c0de7abc8def0123456789ab"] }],
  });
/** The Finding as it is now, and the change to undo. */
export const regroupedReply = z.object({
  finding: finding,
  change: findingChange,
});
export const changedRegroupedReply = z.object({
  finding: changedFindingReply.shape.finding,
  change: findingChange.pick({ id: true }),
});

/** One cause of a Finding: what Rules reported, with values masked. `cause` is `null` when its conversations are deleted. */
export const findingCause = z.object({
  id: z.string(),
  signal: z.string(),
  cause: z.string().nullable(),
  occurrenceCount: z.int(),
  pinned: z.boolean(),
});
export const listCausesInput = z.strictObject({ findingId: idInput });
export const causesReply = z.object({
  /** Most frequent first, at most 200. */
  causes: z.array(findingCause),
  causeCount: z.int(),
  /** Findings that were merged into this one. */
  merged: z.array(z.object({ id: z.string(), title: z.string(), changeId: z.string().nullable() })),
});

/** One thing that happened to a Finding, or to one that was merged into it. */
export const findingEvent = z.object({
  id: z.string(),
  findingId: z.string(),
  /** For what a person did: undoes the whole action. */
  changeId: z.string().nullable(),
  kind: z.enum(FINDING_EVENT_KINDS),
  at: z.number(),
  actor: namedActor,
  /** Of the Runs that caused it. */
  origin: z.enum(RULE_RUN_ORIGINS).nullable(),
  detail: z.record(z.string(), z.unknown()),
});
export const listFindingEventsInput = z.strictObject({ findingId: idInput, ...pageInput });
export const findingEventsReply = z.object({ events: z.array(findingEvent), pagination });

export const findingNote = z.object({
  id: z.string(),
  findingId: z.string(),
  author: namedActor,
  /** Whether the caller wrote it and may change it. */
  own: z.boolean(),
  text: z.string(),
  createdAt: z.number(),
  editedAt: z.number().nullable(),
});
const noteText = filledText(5000);
export const listNotesInput = z.strictObject({ findingId: idInput, ...pageInput });
export const notesReply = z.object({ notes: z.array(findingNote), pagination });
export const addNoteInput = z.strictObject({ findingId: idInput, text: noteText });
export const updateNoteInput = z.strictObject({ findingId: idInput, noteId: idInput, text: noteText });
export const deleteNoteInput = z.strictObject({ findingId: idInput, noteId: idInput });
export const noteReply = z.object({ note: findingNote });

export const findingHandOffReply = z.object({
  /** Markdown for a coding agent: the Finding, its evidence, what its conversations have in common, and ones that went well. */
  text: z.string(),
});

export const timelineInput = z.strictObject({ findingId: idInput });
/** Something that changed on a day. Times are Unix ms. */
const findingMarker = z.object({
  kind: z.enum(["version", "model", "resolved", "regressed", "handed_off", "commit", "pull_request"]),
  at: z.number(),
  /** The version, model or ticket, or the title of the commit or pull request; `null` for the other kinds. */
  name: z.string().nullable(),
  /** The service whose version it is. */
  service: z.string().nullable(),
});
export type FindingMarker = z.infer<typeof findingMarker>;

const shareOf = z.object({
  affected: z.int(),
  conversations: z.int(),
  rate: z.object({ rate: z.number(), low: z.number(), high: z.number() }).nullable(),
});
/** Whether the rate has fallen since a fix went out. */
export const findingFix = z.object({
  id: z.string(),
  /** Unix ms. */
  at: z.number(),
  /** By what the conversations with it are known, and the value; `null`: all since the Finding was resolved. */
  by: z.enum(VERSION_DIMENSIONS).nullable(),
  value: z.string().nullable(),
  /** Versions of the same service that appeared since, which have the fix too. */
  laterVersions: z.array(z.string()),
  /** Of the conversations that started in the days before, and since, that are compared. */
  before: shareOf,
  since: shareOf,
  /** Rate since minus rate before, each kind of conversation with itself, with 95% limits that hold at every look. */
  difference: z.object({ rate: z.number(), low: z.number(), high: z.number() }).nullable(),
  verdict: z.enum(FIX_VERDICTS),
  /** Days before the fix that are compared. */
  days: z.int(),
  /** Conversations since that prove a fix after which it never occurs; `null` if there is too little before. */
  needed: z.int().nullable(),
  /** Conversations left out, because the same version of the Rule did not read them, or not with the same settings. */
  notRead: z.object({ before: z.int(), since: z.int() }),
  /** Conversations since that are left out, because there were none of their kind before. */
  withoutPast: z.int(),
  /** Conversations before that are left out, because there is none of their kind since. */
  withoutSince: z.int().default(0),
  /** Conversations since that are left out, because they do not have the fix. */
  withoutFix: z.int(),
  /** The mean cost of those compared of which every call has a price, in US dollars; `null` without, or for callers who may not read costs. */
  cost: z.object({ before: z.number().nullable(), since: z.number().nullable() }),
  /** What makes a kind of conversation. The model does not where the models from before are no longer used. */
  comparedBy: z.enum(["model_and_labels", "labels"]),
  /** Whether the days before in which it escalated are left out, which shows less of a fall. */
  calmPast: z.boolean(),
  /** Which readings are compared: the Rules, their versions and one revision of their settings. */
  readings: z.array(z.object({ ruleId: z.string(), ruleVersion: z.int(), configurationRevision: z.int() })),
});
export type FindingFix = z.infer<typeof findingFix>;
export const timelineReply = z.object({
  /** The newest; `null` if none went out, or the Finding was reopened by hand. */
  fix: findingFix.nullable(),
  days: z.array(
    z.object({
      /** Unix ms of its start. */
      day: z.number(),
      affected: z.int(),
      /** All of that day's, by last activity; `null` when they were not all counted. */
      conversations: z.int().nullable(),
      /** Those that the Finding's Rules read, in the version and with the settings that they used last. */
      read: z.int().nullable(),
      /** Those of them with the Finding. */
      readAffected: z.int().nullable(),
      /** The share of `readAffected` in `read`. */
      rate: z.object({ rate: z.number(), low: z.number(), high: z.number() }).nullable(),
    }),
  ),
  markers: z.array(findingMarker),
});

export const listAssigneesInput = z.strictObject({ q: filledText(200).optional() });
export const assigneesReply = z.object({
  assignees: z.array(z.object({ userId: z.string(), name: z.string(), me: z.boolean() })),
});

export const contrastInput = z.strictObject({ findingId: idInput, limit: queryInteger(1, 20).default(5) });
/** Similar conversations without any Finding. */
export const contrastReply = z.object({
  conversations: z.array(
    z.object({
      id: z.string(),
      externalId: z.string().nullable(),
      startedAt: z.number(),
      preview: z.string().nullable(),
      messageCount: z.int(),
      /** How much of the first request is the same, 0..1. */
      similarity: z.number(),
      because: z.enum(["same_request", "same_tool"]),
    }),
  ),
  /** Conversations without a Finding that were compared: the newest, at most 1,000. */
  compared: z.int(),
});
