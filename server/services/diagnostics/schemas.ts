import { z } from "zod";
import {
  COLLECTION_MASKINGS,
  DISMISSAL_REASONS,
  FINDING_TRENDS,
  RESOLUTION_STATUSES,
  REVIEW_STATUSES,
  RULE_RUN_ORIGINS,
  RULE_RUN_STATUSES,
  SEVERITIES,
} from "@/db/schema/enumerations";
import type { Evidence } from "@/db/schema/json";
import { idInput, pageInput, pagination, sortOrder, unixMs } from "@/server/platform/schemas";
import { conversationFilters } from "@/server/services/telemetry/schemas";
import { ownDefinition } from "./own-rules/schemas";
import { CONFIDENCE_BASES } from "./rules/schemas";

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

/**
 * What a confidence rests on. `measured`: verdicts of people, `n` of them with the 95% interval (Wilson) of their precision,
 * either this project's `reviews` (from 20 on) or the labelled conversations of our `benchmark`. `generated`: conversations that
 * we generated, which show that a detector works, not how precise it is on real ones. `assumed`: nobody has measured it, so it
 * is a starting value, or an adjudicator's own estimate.
 */
export const confidenceBasis = z.object({
  basis: z.enum(CONFIDENCE_BASES),
  by: z.enum(["reviews", "benchmark"]).nullable(),
  n: z.int(),
  interval: z.object({ low: z.number(), high: z.number() }).nullable(),
});
export type ConfidenceBasis = z.infer<typeof confidenceBasis>;

/** An appearance of a Finding in one conversation. `detectedAt` is the Unix ms of the conversation's last activity. */
export const occurrence = z.object({
  id: z.string(),
  findingId: z.string(),
  conversationId: z.string(),
  conversationExternalId: z.string().nullable(),
  ruleRunId: z.string().nullable(),
  severity,
  score: z.number(),
  /** The detector's at this score, or the adjudicator's. */
  confidence: z.number(),
  confidenceBasis,
  /** Known cost of its conversation in US dollars, without the model calls that have none; `null` if none is known. */
  conversationCost: z.number().nullable(),
  conversationUnpricedCallCount: z.int(),
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
  /**
   * The factors as they are multiplied: the weight of the severity, the highest confidence among the occurrences or the one
   * that the project's reviews measure, and the cube root of `affected` ÷ (`conversations` + 10) of `recentShare`.
   */
  diagnosticScoreParts: z.object({ severity: z.number(), confidence: z.number(), spread: z.number() }),
  /** What the confidence among `diagnosticScoreParts` rests on. */
  confidenceBasis,
  reviewStatus,
  resolutionStatus: resolutionStatus.nullable(),
  resolvedAt: z.number().nullable(),
  regressedAt: z.number().nullable(),
  /** The severity that a person pinned; `null` when it comes from the Rules. */
  pinnedSeverity: severity.nullable(),
  /** A Finding that both regressed and escalates is shown as escalating. */
  trend: z.enum(FINDING_TRENDS),
  escalatingSince: z.number().nullable(),
  dismissedAt: z.number().nullable(),
  dismissalReason: z.enum(DISMISSAL_REASONS).nullable(),
  dismissedUntilWorse: z.boolean(),
  /** A member's id. */
  assigneeId: z.string().nullable(),
  /** `null` when unassigned or when the member has left; the address up to the @ for a member without a name. */
  assigneeName: z.string().nullable(),
  /** The Finding that this one was merged into; it has its occurrences. */
  mergedIntoId: z.string().nullable(),
  occurrenceCount: z.int(),
  userCount: z.int(),
  /** Among those of the newest 10,000 conversations of the last 14 days that its Rule read, with the 95% interval (Wilson) of the rate. */
  recentShare: z.object({
    affected: z.int(),
    conversations: z.int(),
    interval: z.object({ rate: z.number(), low: z.number(), high: z.number() }).nullable(),
  }),
  /** Conversations on each of the last 14 days (UTC), the current one last. */
  recentDays: z.array(z.int()),
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

/** A single Finding in full: with its latest and its clearest occurrence, its share of conversations and its daily counts. */
export const findingDetail = finding.extend({
  latestOccurrence: occurrence.nullable(),
  /** The one with the highest score among the newest 200: what to read first. */
  clearestOccurrence: occurrence.nullable(),
  /** Conversations with this Finding among all conversations since `since`, which is when it was first seen or later. */
  share: z.object({ affected: z.int(), conversations: z.int(), since: z.number() }),
  /** Occurrences per day (UTC) for those of the last 30 days that have any. `day` is its start in Unix ms; `conversations` counts all of that day's. */
  days: z.array(z.object({ day: z.number(), occurrences: z.int(), conversations: z.int().nullable() })),
});
export type FindingDetail = z.infer<typeof findingDetail>;

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

/** Reply to an update by a caller who may not read Findings. */
export const changedFindingReply = z.object({
  finding: finding.pick({
    id: true,
    reviewStatus: true,
    resolutionStatus: true,
    resolvedAt: true,
    regressedAt: true,
    pinnedSeverity: true,
    assigneeId: true,
    updatedAt: true,
  }),
});

/** Runs that nobody asked for are `running` only while they wait for the adjudicator or after a failed attempt. */
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

export const BULK_CONVERSATIONS_MAX = 1000;
export const createManyRuleRunsInput = z
  .strictObject({
    /** These conversations, by our ids. */
    conversationIds: z.array(idInput).min(1).max(BULK_CONVERSATIONS_MAX).optional(),
    /** Instead of `conversationIds`: all that currently match. `{}` matches every conversation. */
    filter: conversationFilters.optional(),
  })
  .meta({
    oneOf: [{ required: ["conversationIds"] }, { required: ["filter"] }],
    examples: [{ filter: { hasErrors: true } }],
  });
/** `queued`: the new Runs, or `null` while a background job queues them. */
export const diagnosisReply = z.object({
  diagnosis: z.object({ conversations: z.int(), rules: z.int(), queued: z.int().nullable() }),
});
/** Reply to a caller who may not read conversations: a filter's count would reveal what is in them. */
export const requestedDiagnosisReply = z.object({ diagnosis: diagnosisReply.shape.diagnosis.pick({ rules: true }) });

export const RULE_RUN_SORTS = ["created", "duration", "attempts"] as const;
export type RuleRunSort = (typeof RULE_RUN_SORTS)[number];

export const RUN_OUTCOMES = ["found", "nothing"] as const;
export const listRuleRunsInput = z.strictObject({
  status: runStatus.optional(),
  /** Of completed Runs: whether they found an occurrence. */
  outcome: z.enum(RUN_OUTCOMES).optional(),
  origin: runOrigin.optional(),
  ruleId: z.string().max(100).optional(),
  backfillId: z.string().max(200).optional(),
  conversationId: z.string().max(1000).optional(),
  sort: z.enum(RULE_RUN_SORTS).default("created"),
  order: sortOrder.default("desc"),
  ...pageInput,
});
/** `sampled`: more Runs match than are sorted. */
/** `conversationPreview`: the conversation's first user message in a line, `null` if there is none. */
export const listedRuleRun = ruleRun.extend({ conversationPreview: z.string().nullable() });
export type ListedRuleRun = z.infer<typeof listedRuleRun>;
export const ruleRunPageReply = z.object({ runs: z.array(listedRuleRun), sampled: z.boolean(), pagination });
export const getRuleRunInput = z.strictObject({ runId: idInput });
export const listedRuleRunReply = z.object({ run: listedRuleRun });
export const ruleRunReply = z.object({ run: ruleRun });
/** A queued Run without its results. */
export const queuedRuleRunReply = z.object({
  run: ruleRun.omit({ resultCount: true, skipReason: true, errorMessage: true, notes: true }),
});

/** `more`: more than `count` match. */
export const findingCountReply = z.object({ count: z.int(), more: z.boolean() });

export const reviewCountReply = z.object({ forReview: z.int(), countedUpTo: z.int() });

/** What diagnosis has covered so far, to explain an empty list of Findings. Times are Unix ms. */
export const diagnosticsStatusReply = z.object({
  status: z.object({
    automaticSchedulingEnabled: z.boolean(),
    inactiveAfterSeconds: z
      .int()
      .describe("Rules check a conversation automatically once it has received no spans for this long."),
    conversations: z.int(),
    conversationsRead: z.int(),
    runsWaiting: z.int(),
    lastRunFinishedAt: z.number().nullable(),
  }),
});

const CACHE_DAYS_MAX = 3650;

/**
 * `adjudicatorConnectionId`: the model connection that settles ambiguous Signals; `null` for the only one, if there is exactly one.
 * `adjudicationCacheDays`: how long its answers are reused and stored. `collectionMasking`: what collection does with personal data
 * and secrets.
 */
const diagnosticSettings = z.object({
  automaticSchedulingEnabled: z.boolean(),
  adjudicatorConnectionId: z.string().nullable(),
  adjudicationCacheDays: z.int(),
  collectionMasking: z.enum(COLLECTION_MASKINGS),
});
const budget = z.object({ calls: z.number().nullable(), tokens: z.number().nullable(), usd: z.number().nullable() });
/** `adjudicator`: the connection in use, with what it has used today (UTC), including what calls in progress have reserved. */
export const settingsReply = z.object({
  settings: diagnosticSettings,
  adjudicator: z
    .object({
      connectionId: z.string(),
      defaultModel: z.string().nullable(),
      dailyLimits: budget,
      usedToday: z.object({ calls: z.int(), tokens: z.int(), usd: z.number(), unpricedCalls: z.int() }),
    })
    .nullable(),
});
export const changedSettingsReply = settingsReply.pick({ settings: true });
export const updateSettingsInput = z
  .strictObject({
    automaticSchedulingEnabled: z.boolean().optional(),
    adjudicatorConnectionId: idInput.nullable().optional(),
    adjudicationCacheDays: z.int().min(1).max(CACHE_DAYS_MAX).optional(),
    collectionMasking: z.enum(COLLECTION_MASKINGS).optional(),
  })
  .refine((input) => Object.values(input).some((value) => value !== undefined), {
    message: "Send a setting to change.",
  })
  .meta({
    examples: [{ automaticSchedulingEnabled: true }],
    anyOf: [
      { required: ["automaticSchedulingEnabled"] },
      { required: ["adjudicatorConnectionId"] },
      { required: ["adjudicationCacheDays"] },
      { required: ["collectionMasking"] },
    ],
  });

export const adjudicationMode = z.enum(["auto", "deterministic-only"]);

/** Everything about a Rule that a project can change. */
export const ruleConfigurationJson = z.object({
  keywords: z.array(z.string()),
  minSignalScore: z.number(),
  minDiagnosticConfidence: z.number(),
  adjudicationMode,
  adjudicationModel: z.string().nullable(),
  sampleRate: z.number(),
  signalOverrides: z.record(z.string(), z.object({ enabled: z.boolean().optional(), severity: severity.optional() })),
});

/** A Rule with this project's settings. Figures are measured on labelled data; `null` where there is none. */
export const rule = z.object({
  id: z.string(),
  version: z.int(),
  name: z.string(),
  summary: z.string(),
  enabled: z.boolean(),
  /** Incremented by every change to `enabled` or `configuration`; 1 is the unchanged Rule. */
  configurationRevision: z.int(),
  configuration: ruleConfigurationJson,
  /** What a person described, of a Rule of the project's own; `null` for a built-in one. */
  own: ownDefinition.nullable(),
  signals: z.array(
    z.object({
      name: z.string(),
      looksFor: z.string(),
      severity,
      /** Whether Runs report it. `false` for one that needs an adjudicator and has none, whatever the configuration says. */
      enabled: z.boolean(),
      /**
       * What an enabled Signal that only an adjudicator can settle lacks: the project's `adjudicator`, or the
       * Rule's adjudication `mode` "auto". `null` if nothing.
       */
      needs: z.enum(["adjudicator", "mode"]).nullable(),
      precision: z.number().nullable(),
      recall: z.number().nullable(),
      f1: z.number().nullable(),
      auc: z.number().nullable(),
      /** Labelled conversations behind the figures. */
      measuredOn: z.int(),
      /** `measured` on conversations that people or benchmarks labelled; `none`: there is no figure. */
      basis: z.enum(["measured", "none"]),
      /** Findings of this project that people confirmed, and that they dismissed as wrong or without a reason. */
      confirmedFindings: z.int(),
      wrongFindings: z.int(),
      /** Their precision with its 95% interval (Wilson); `null` without a review. */
      reviewedPrecision: z
        .object({ n: z.int(), value: z.number(), interval: z.object({ low: z.number(), high: z.number() }) })
        .nullable(),
      /** How far a match is trusted: by this project's reviews from 20 on, else as shipped. */
      confidence: z.object({ value: z.number(), ...confidenceBasis.shape }),
    }),
  ),
});
export const rulesReply = z.object({ rules: z.array(rule) });
export const ruleReply = z.object({ rule });
/** Reply to an update by a caller who may not read Rules. */
export const changedRuleReply = z.object({
  rule: rule.pick({ id: true, version: true, enabled: true, configurationRevision: true }),
});
