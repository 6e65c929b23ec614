import type { ConversationSnapshot, DetectedSignal, Detector, Evidence, Rule, Severity } from "../types";
import { confidenceOf } from "./confidence";
import { KEYWORD_SEVERITY, KEYWORD_SIGNAL, keywordSignals } from "./keywords";
import type { RuleConfiguration } from "./validate-configuration";

/** A Signal that a Rule reports in a conversation. At most one per (`signal`, `cause`). */
export type RuleOccurrence = {
  signal: string;
  severity: Severity;
  /** The detector's score, 0..1. */
  score: number;
  /** Probability that it is correct, 0..1. */
  confidence: number;
  verdict: "match" | "ambiguous";
  evidence: Evidence[];
  cause: string;
  title: string;
  summary: string;
};

/** An ambiguous Signal above `minSignalScore` that only an adjudicator can decide. */
export type Candidate = RuleOccurrence;

export type RuleResult = {
  occurrences: RuleOccurrence[];
  /** Signals to adjudicate in mode `auto` with a connected adjudicator; otherwise empty. */
  undecided: Candidate[];
  dropped: { belowScore: number; belowConfidence: number; ambiguous: number };
  /** Remarks for readers of the result. */
  notes: string[];
};

export type RunOptions = { adjudicatorConnected?: boolean };

/** A keyword Signal claims no more than that the word occurs. */
const KEYWORD_CONFIDENCE = 1;

/** Runs the detectors of one Rule over a conversation and applies the thresholds. Pure. */
export function runDetectors(
  rule: Rule,
  conversation: ConversationSnapshot,
  configuration: RuleConfiguration,
  options: RunOptions = {},
): RuleResult {
  const result: RuleResult = {
    occurrences: [],
    undecided: [],
    dropped: { belowScore: 0, belowConfidence: 0, ambiguous: 0 },
    notes: [],
  };
  const asks = configuration.adjudicationMode === "auto" && options.adjudicatorConnected === true;

  for (const found of signalsIn(rule, conversation, configuration)) {
    if (found.score < configuration.minSignalScore) {
      result.dropped.belowScore++;
    } else if (found.verdict === "ambiguous" && asks) {
      result.undecided.push(found);
    } else if (found.verdict === "ambiguous") {
      result.dropped.ambiguous++;
    } else if (found.confidence < configuration.minDiagnosticConfidence) {
      result.dropped.belowConfidence++;
    } else {
      result.occurrences.push(found);
    }
  }
  if (configuration.adjudicationMode === "auto" && !asks) {
    const left = result.dropped.ambiguous;
    result.notes.push(
      `No adjudicator is connected: ${left} ambiguous ${left === 1 ? "signal was" : "signals were"} left out.`,
    );
  }
  return result;
}

/** Returns all Signals from the Rule's enabled detectors, before thresholds. */
export function signalsIn(
  rule: Rule,
  conversation: ConversationSnapshot,
  configuration: Pick<RuleConfiguration, "keywords" | "signalOverrides">,
): RuleOccurrence[] {
  const { keywords, signalOverrides } = configuration;
  const override = (signal: string) => signalOverrides[signal] ?? {};
  const seen = rule.detectors
    .filter((detector) => override(detector.signal).enabled ?? detector.enabledByDefault)
    .flatMap((detector) =>
      detector
        .detect(conversation, { keywords })
        .map((signal) => occurrenceOf(detector, signal, override(detector.signal).severity)),
    );
  if (override(KEYWORD_SIGNAL).enabled === false) return seen;
  const severity = override(KEYWORD_SIGNAL).severity ?? KEYWORD_SEVERITY;
  const said = keywordSignals(conversation, keywords).map(({ name, ...signal }) => ({
    ...signal,
    signal: name,
    severity,
    confidence: KEYWORD_CONFIDENCE,
  }));
  return [...seen, ...said];
}

function occurrenceOf(detector: Detector, found: DetectedSignal, severity = detector.severity): RuleOccurrence {
  const { name, ...rest } = found;
  return { ...rest, signal: name, severity, confidence: confidenceOf(name, found.score).value };
}
