import type { SEVERITIES } from "@/db/schema/enumerations";
import type { Evidence } from "@/db/schema/json";
import type { Message, ModelCall, ToolCall } from "@/server/services/telemetry/schemas";

export type { Evidence };
export type Severity = (typeof SEVERITIES)[number];

/** What a detector reads: one whole conversation, normalised. Times are Unix ms. */
export type ConversationSnapshot = {
  id: string;
  userId: string | null;
  startedAt: number;
  lastActivityAt: number;
  messages: readonly Message[];
  modelCalls: readonly Pick<
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
  >[];
  toolCalls: readonly ToolCall[];
};

/** One thing that a detector saw. `score` 0..1 is its own; confidence comes from measured precision at that score. */
export type DetectedSignal = {
  name: string;
  score: number;
  verdict: "match" | "ambiguous";
  evidence: Evidence[];
  /** The normalised cause, values masked: what joins Occurrences into one Finding within a Rule and Signal. */
  cause: string;
  /** Written from the evidence: `get_order` fails: order not found. */
  title: string;
  summary: string;
};

export type DetectorConfiguration = { keywords: readonly string[] };

/** A pure function of a conversation, for one Signal of one Rule. An empty result means `no_match`. */
export type Detector = {
  signal: string;
  severity: Severity;
  enabledByDefault: boolean;
  /** What it looks for, in a sentence, for the Rules page. */
  looksFor: string;
  detect(conversation: ConversationSnapshot, configuration: DetectorConfiguration): DetectedSignal[];
};

/** A built-in Rule. `version` changes when its verdicts can: a new version may read the same conversation again. */
export type Rule = { id: string; version: number; name: string; summary: string; detectors: readonly Detector[] };
