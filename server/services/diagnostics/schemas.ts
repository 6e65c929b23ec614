import { z } from "zod";
import {
  RESOLUTION_STATUSES,
  REVIEW_STATUSES,
  RULE_RUN_ORIGINS,
  RULE_RUN_STATUSES,
  SEVERITIES,
} from "@/db/schema/enumerations";
import type { Evidence } from "@/db/schema/json";
import {
  idInput,
  oneOrSeveral,
  pageInput,
  pagination,
  queryNumber,
  queryUnixMs,
  unixMs,
} from "@/server/platform/schemas";

export const severity = z.enum(SEVERITIES);
export const reviewStatus = z.enum(REVIEW_STATUSES);
export const resolutionStatus = z.enum(RESOLUTION_STATUSES);

/** A quote from a message (`[start, end)` of its text) or from a span. */
export const evidence = z.object({
  messageIndex: z.int().nullable(),
  start: z.int(),
  end: z.int(),
  quote: z.string(),
  spanId: z.string().nullable(),
}) satisfies z.ZodType<Evidence>;

/** An appearance of a Finding in one conversation. `detectedAt` is the Unix ms of the conversation's last activity. */
export const occurrence = z.object({
  id: z.string(),
  findingId: z.string(),
  conversationId: z.string(),
  conversationExternalId: z.string().nullable(),
  ruleRunId: z.string().nullable(),
  severity,
  score: z.number(),
  confidence: z.number(),
  title: z.string(),
  summary: z.string(),
  evidence: z.array(evidence),
  detectedAt: z.number(),
  updatedAt: z.number(),
});
export type Occurrence = z.infer<typeof occurrence>;

/** A recurring problem with its counts; counts of a large Finding are as of its last recount. Times are Unix ms. */
export const finding = z.object({
  id: z.string(),
  ruleId: z.string(),
  signal: z.string(),
  title: z.string(),
  summary: z.string(),
  severity,
  /** 0..1: `severity` × `confidence` × `spread`. */
  diagnosticScore: z.number(),
  diagnosticScoreParts: z.object({ severity: z.number(), confidence: z.number(), spread: z.number() }),
  reviewStatus,
  resolutionStatus: resolutionStatus.nullable(),
  resolvedAt: z.number().nullable(),
  regressedAt: z.number().nullable(),
  occurrenceCount: z.int(),
  userCount: z.int(),
  /** Sum of the known costs of the affected conversations in US dollars; `null` when none is known. */
  affectedCost: z.number().nullable(),
  /** Whether `affectedCost` covers all of their model calls; otherwise it is a lower bound. */
  costComplete: z.boolean(),
  /** Their model calls without a known cost, which `affectedCost` excludes. */
  unpricedCallCount: z.int(),
  firstDetectedAt: z.number(),
  lastDetectedAt: z.number(),
  createdAt: z.number(),
  updatedAt: z.number(),
  /**
   * Unix ms from which users, cost, severity and score are due to be recomputed: the Finding has many occurrences, and some
   * changed since the last recount. `occurrenceCount` and the times are always current. `null` when everything is current.
   */
  recountDueAt: z.number().nullable(),
  /** `<tracker>:<owner>/<repo>#<number>`; `null` until a repair is handed off. */
  repairHandoffRef: z.string().nullable(),
});
export type Finding = z.infer<typeof finding>;

/** A single Finding in full: with its latest occurrence, its share of conversations and its daily counts. */
export const findingDetail = finding.extend({
  latestOccurrence: occurrence.nullable(),
  /** Conversations with this Finding among all conversations since `since`, which is when it was first seen or later. */
  share: z.object({ affected: z.int(), conversations: z.int(), since: z.number() }),
  /** Occurrences per day (UTC) for those of the last 30 days that have any. `day` is its start in Unix ms; `conversations` counts all of that day's. */
  days: z.array(z.object({ day: z.number(), occurrences: z.int(), conversations: z.int().nullable() })),
});
export type FindingDetail = z.infer<typeof findingDetail>;

export const listFindingsInput = z.strictObject({
  reviewStatus: reviewStatus.optional(),
  /** One or several values (repeat the parameter). `none` matches Findings whose `resolutionStatus` is `null`. */
  resolutionStatus: oneOrSeveral(z.enum([...resolutionStatus.options, "none"])).optional(),
  severity: severity.optional(),
  minDiagnosticScore: queryNumber(0, 1).optional(),
  /** Inclusive. */
  lastDetectedAfter: queryUnixMs.optional(),
  /** Exclusive. */
  lastDetectedBefore: queryUnixMs.optional(),
  ruleId: z.string().max(100).optional(),
  conversationId: z.string().max(1000).optional(),
  ...pageInput,
});
export const findingsReply = z.object({ findings: z.array(finding), pagination });

export const getFindingInput = z.strictObject({ findingId: idInput });
export const findingReply = z.object({ finding: findingDetail });

export const listOccurrencesInput = z.strictObject({
  findingId: idInput,
  /** Our id or the client's own; narrows the list to at most one occurrence. */
  conversationId: z.string().max(1000).optional(),
  ...pageInput,
});
export const occurrencesReply = z.object({ occurrences: z.array(occurrence), pagination });

/** At least one of the two. Dismissing clears the resolution, so the same body cannot also set it. */
export const updateFindingInput = z
  .strictObject({
    findingId: idInput,
    reviewStatus: reviewStatus.optional(),
    resolutionStatus: resolutionStatus.optional(),
  })
  .refine((input) => input.reviewStatus !== undefined || input.resolutionStatus !== undefined, {
    message: "Send reviewStatus, resolutionStatus or both.",
  })
  .refine((input) => !(input.reviewStatus === "dismissed" && input.resolutionStatus !== undefined), {
    message: "Dismissing clears the resolution: set it in a separate request.",
    path: ["resolutionStatus"],
  })
  // The two refinements in JSON Schema.
  .meta({
    anyOf: [{ required: ["reviewStatus"] }, { required: ["resolutionStatus"] }],
    not: { required: ["reviewStatus", "resolutionStatus"], properties: { reviewStatus: { const: "dismissed" } } },
  });

/** Reply to an update by a caller who may not read Findings. */
export const changedFindingReply = z.object({
  finding: finding.pick({
    id: true,
    reviewStatus: true,
    resolutionStatus: true,
    resolvedAt: true,
    regressedAt: true,
    updatedAt: true,
  }),
});

export const runStatus = z.enum(RULE_RUN_STATUSES);
export const runOrigin = z.enum(RULE_RUN_ORIGINS);

/**
 * One Rule run over one conversation as it was at `lastActivityAt` (Unix ms), with the Rule's settings of that revision.
 * Reads the traces in `traceIds`, or all of them when it is empty.
 */
export const ruleRun = z.object({
  id: z.string(),
  ruleId: z.string(),
  ruleVersion: z.int(),
  configurationRevision: z.int(),
  backfillId: z.string().nullable(),
  conversationId: z.string(),
  lastActivityAt: z.number(),
  traceIds: z.array(z.string()),
  origin: runOrigin,
  status: runStatus,
  attempts: z.int(),
  resultCount: z.int().nullable(),
  skipReason: z.string().nullable(),
  errorMessage: z.string().nullable(),
  notes: z.array(z.string()),
  createdAt: z.number(),
  startedAt: z.number().nullable(),
  finishedAt: z.number().nullable(),
  links: z.object({ rule: z.string(), backfill: z.string().nullable(), conversation: z.string() }),
});
export type RuleRun = z.infer<typeof ruleRun>;

export const createRuleRunsInput = z.strictObject({
  /** Our id or the client's own. */
  conversationId: z.string().min(1).max(1000),
  lastActivityAt: unixMs,
  /** Entries that are not strings are dropped. */
  traceIds: z
    .array(z.unknown())
    .max(10_000)
    .transform((ids) => [...new Set(ids.flatMap((id) => (typeof id === "string" ? [id.toLowerCase()] : [])))])
    .optional(),
});
export const ruleRunsReply = z.object({ runs: z.array(ruleRun) });
/** Runs without their results. */
export const queuedRuleRunsReply = z.object({
  runs: z.array(ruleRun.omit({ resultCount: true, skipReason: true, errorMessage: true, notes: true })),
});
export const listRuleRunsInput = z.strictObject({
  status: runStatus.optional(),
  origin: runOrigin.optional(),
  ruleId: z.string().max(100).optional(),
  backfillId: z.string().max(200).optional(),
  conversationId: z.string().max(1000).optional(),
  ...pageInput,
});
export const ruleRunPageReply = z.object({ runs: z.array(ruleRun), pagination });
export const getRuleRunInput = z.strictObject({ runId: idInput });
export const ruleRunReply = z.object({ run: ruleRun });

/** What diagnosis has covered so far, to explain an empty list of Findings. Times are Unix ms. */
export const diagnosticsStatusReply = z.object({
  status: z.object({
    automaticSchedulingEnabled: z.boolean(),
    conversations: z.int(),
    conversationsRead: z.int(),
    runsWaiting: z.int(),
    lastRunFinishedAt: z.number().nullable(),
  }),
});

export const settingsReply = z.object({ settings: z.object({ automaticSchedulingEnabled: z.boolean() }) });
export const updateSettingsInput = z.strictObject({ automaticSchedulingEnabled: z.boolean() });

export const adjudicationMode = z.enum(["auto", "deterministic-only"]);

/** Everything about a Rule that a project can change. */
export const ruleConfigurationJson = z.object({
  keywords: z.array(z.string()),
  minSignalScore: z.number(),
  minDiagnosticConfidence: z.number(),
  adjudicationMode,
  adjudicationModel: z.string().nullable(),
  signalOverrides: z.record(z.string(), z.object({ enabled: z.boolean().optional(), severity: severity.optional() })),
});

/** A built-in Rule with this project's settings. Precision and recall are measured; `null` where there is no labelled data. */
export const rule = z.object({
  id: z.string(),
  version: z.int(),
  name: z.string(),
  summary: z.string(),
  enabled: z.boolean(),
  /** Incremented by every change to `enabled` or `configuration`; 1 is the unchanged Rule. */
  configurationRevision: z.int(),
  configuration: ruleConfigurationJson,
  signals: z.array(
    z.object({
      name: z.string(),
      looksFor: z.string(),
      severity,
      enabled: z.boolean(),
      precision: z.number().nullable(),
      recall: z.number().nullable(),
      /** Labelled conversations behind the two figures. */
      measuredOn: z.int(),
    }),
  ),
});
export const rulesReply = z.object({ rules: z.array(rule) });
export const ruleReply = z.object({ rule });
/** Reply to an update by a caller who may not read Rules. */
export const changedRuleReply = z.object({
  rule: rule.pick({ id: true, version: true, enabled: true, configurationRevision: true }),
});
