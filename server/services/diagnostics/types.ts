import type { SEVERITIES } from "@/db/schema/enumerations";
import type { Evidence } from "@/db/schema/json";
import type { Message, ModelCall, ToolCall } from "@/server/services/telemetry/schemas";

export type { Evidence };
export type Severity = (typeof SEVERITIES)[number];

/** A detector's input: one whole conversation, normalised. Times are Unix ms. */
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

/** A pure function of a conversation that detects one Signal of one Rule. An empty result means `no_match`. */
export type Detector = {
  signal: string;
  severity: Severity;
  enabledByDefault: boolean;
  /** One sentence for the Rules page. */
  looksFor: string;
  detect(conversation: ConversationSnapshot, configuration: DetectorConfiguration): DetectedSignal[];
};

/** A built-in Rule. `version` is bumped when its verdicts may change; a new version may read the same conversation again. */
export type Rule = { id: string; version: number; name: string; summary: string; detectors: readonly Detector[] };
