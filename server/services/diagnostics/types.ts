import type { SEVERITIES } from "@/db/schema/enumerations";
import type { Evidence, ModelBaseline, Quantiles } from "@/db/schema/json";
import type { SnapshotFeedback } from "@/server/services/telemetry/feedback/schemas";
import type { Message, ModelCall, ToolCall } from "@/server/services/telemetry/schemas";
import type { OwnDefinition } from "./own-rules/schemas";

export type { Evidence };
/** What was usual in the project before the day (UTC) on which a conversation began. */
export type ProjectBaseline = { models: readonly ModelBaseline[]; conversationCost: Quantiles | null };
export type Severity = (typeof SEVERITIES)[number];

/** A detector's input: one whole conversation, normalised. Times are Unix ms. */
export type ConversationSnapshot = {
  id: string;
  userId: string | null;
  startedAt: number;
  lastActivityAt: number;
  messages: readonly Message[];
  modelCalls: readonly SnapshotModelCall[];
  toolCalls: readonly ToolCall[];
  /** What users said about it, oldest first. */
  feedback?: readonly SnapshotFeedback[] | undefined;
  /** Null or absent when the project has too little history. */
  baseline?: ProjectBaseline | null | undefined;
};

/** The parts of a model call that detectors read. */
export type SnapshotModelCall = Pick<
  ModelCall,
  | "spanId"
  | "traceId"
  | "name"
  | "provider"
  | "requestedModel"
  | "responseModel"
  | "finishReasons"
  | "status"
  | "error"
  | "startedAt"
  | "endedAt"
  | "usage"
> & {
  /** US dollars, exact; null or absent when unknown. */
  costTotal?: string | null | undefined;
};

/** One detection. `score` (0..1) is the detector's own; confidence comes from the measured precision at that score. */
export type DetectedSignal = {
  name: string;
  score: number;
  verdict: "match" | "ambiguous";
  evidence: Evidence[];
  /** The normalised cause with values masked; groups Occurrences of a Rule and Signal into one Finding. */
  cause: string;
  /** Composed from the evidence, such as "`get_order` fails: order not found". */
  title: string;
  summary: string;
};

export type DetectorConfiguration = { keywords: readonly string[] };

/**
 * What a detector needs of a conversation too long to be read at once. `anywhere`: the messages around what it reports.
 * `before`: also a digest of what others said and tools returned earlier, however long ago. `end`: how the conversation ends.
 * `calls`: all model calls with their costs, but no messages.
 */
export type DetectorReads = "anywhere" | "before" | "end" | "calls";

/** A pure function of a conversation that detects one Signal of one Rule. An empty result means `no_match`. */
export type Detector = {
  signal: string;
  severity: Severity;
  enabledByDefault: boolean;
  /** One sentence for the Rules page. */
  looksFor: string;
  /** Whether all of its verdicts are ambiguous, so that without an adjudicator it reports nothing. */
  needsAdjudicator?: true;
  /** Of its matches, where they are so by definition and nothing measures them. */
  confidence?: number;
  /** `anywhere` by default. */
  reads?: DetectorReads;
  detect(conversation: ConversationSnapshot, configuration: DetectorConfiguration): DetectedSignal[];
};

/** A Rule. `version` is bumped when its verdicts may change; a new version may read the same conversation again. */
export type Rule = {
  id: string;
  version: number;
  name: string;
  summary: string;
  detectors: readonly Detector[];
  /** Of a project's own Rule: what a person described. */
  own?: OwnDefinition;
};

/** A Rule as its file declares it; its id and its name are in `RULE_NAMES`. */
export type BuiltIn = Omit<Rule, "id" | "name">;
