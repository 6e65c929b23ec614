import { wholeWords } from "@/server/platform/excerpt";
import { isBetter, unmerged } from "../detectors/reading/evidence";
import type { ConversationSnapshot, DetectedSignal, Detector, DetectorReads, Evidence, Rule, Severity } from "../types";
import { confidenceOf } from "./confidence";
import { KEYWORD_SEVERITY, KEYWORD_SIGNAL, keywordSignals } from "./keywords";
import type { RuleConfiguration } from "./schemas";

/** A Signal that a Rule reports in a conversation. */
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
  /** At most one per (`signal`, `cause`), as in `undecided`. */
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
export const runDetectors = (
  rule: Rule,
  conversation: ConversationSnapshot,
  configuration: RuleConfiguration,
  options: RunOptions = {},
): RuleResult => resultOf(signalsIn(rule, conversation, configuration), configuration, options);

/** Applies a configuration's thresholds to the Signals that its detectors report. */
export function resultOf(
  signals: readonly RuleOccurrence[],
  configuration: RuleConfiguration,
  options: RunOptions = {},
): RuleResult {
  const result: RuleResult = {
    occurrences: [],
    undecided: [],
    dropped: { belowScore: 0, belowConfidence: 0, ambiguous: 0 },
    notes: [],
  };
  const adjudicates = configuration.adjudicationMode === "auto" && options.adjudicatorConnected === true;

  for (const found of oneForEachCause(signals)) {
    const outcome = outcomeOf(found, configuration);
    if (outcome === "found") result.occurrences.push(found);
    else if (outcome === "ambiguous" && adjudicates) result.undecided.push(found);
    else result.dropped[outcome]++;
  }
  if (configuration.adjudicationMode === "auto" && !adjudicates) {
    const left = result.dropped.ambiguous;
    result.notes.push(
      `No adjudicator is connected: ${left} ambiguous ${left === 1 ? "signal was" : "signals were"} left out.`,
    );
  }
  return result;
}

/** Keeps the best Signal of each name and cause: a detector may judge turn by turn, but a Finding counts once. */
function oneForEachCause(signals: readonly RuleOccurrence[]): readonly RuleOccurrence[] {
  if (signals.length < 2) return signals;
  const best = new Map<string, RuleOccurrence>();
  for (const one of signals) {
    const key = `${one.signal} ${one.cause}`;
    const known = best.get(key);
    if (!known || isBetter(one, known)) best.set(key, one);
  }
  return [...best.values()];
}

/** What becomes of a detected Signal without an adjudicator: it is found, or dropped for this reason. */
export type Outcome = "found" | keyof RuleResult["dropped"];

/** Applies a configuration's thresholds to a detected Signal. */
export function outcomeOf(
  { score, verdict, confidence }: Pick<RuleOccurrence, "score" | "verdict" | "confidence">,
  thresholds: Pick<RuleConfiguration, "minSignalScore" | "minDiagnosticConfidence">,
): Outcome {
  if (score < thresholds.minSignalScore) return "belowScore";
  if (verdict === "ambiguous") return "ambiguous";
  return confidence < thresholds.minDiagnosticConfidence ? "belowConfidence" : "found";
}

/** Characters of a title: one line in a list. */
const TITLE_LIMIT = 90;

const NO_OVERRIDE: Partial<RuleConfiguration["signalOverrides"][string]> = {};

/** The part of a Rule's settings that concerns its Signals. */
export type SignalSettings = Pick<RuleConfiguration, "keywords" | "signalOverrides">;

/** Returns all Signals from the Rule's enabled detectors, before thresholds; several may have the same cause. */
export const signalsIn = (
  rule: Rule,
  conversation: ConversationSnapshot,
  configuration: SignalSettings,
): RuleOccurrence[] => [
  ...detectedIn(
    rule,
    () => conversation,
    configuration,
    (found) => [found],
  ),
  ...keywordsIn(conversation, configuration),
];

/** A part of a conversation as each kind of detector reads it; `null` where it reads nothing. */
export type Readings = Readonly<Record<DetectorReads, ConversationSnapshot | null>>;

/**
 * Returns the Signals in a part of a conversation, by what their detectors read. Each is one event: those of a cause are not
 * merged yet, because some may belong to another part.
 */
export const signalsInPart = (
  rule: Rule,
  readings: Readings,
  configuration: SignalSettings,
): { reads: DetectorReads; signals: RuleOccurrence[] }[] => [
  ...READS.map((reads) => ({
    reads,
    signals: detectedIn(
      rule,
      (detector) => ((detector.reads ?? "anywhere") === reads ? readings[reads] : null),
      configuration,
      unmerged,
    ),
  })),
  { reads: "anywhere", signals: readings.anywhere ? keywordsIn(readings.anywhere, configuration) : [] },
];

const READS = ["anywhere", "before", "end", "calls"] as const satisfies readonly DetectorReads[];

function detectedIn(
  { detectors }: Rule,
  conversationFor: (detector: Detector) => ConversationSnapshot | null,
  configuration: SignalSettings,
  partsOf: (found: DetectedSignal) => readonly DetectedSignal[],
): RuleOccurrence[] {
  const seen: RuleOccurrence[] = [];
  for (const detector of detectors) {
    const { enabled, severity } = configuration.signalOverrides[detector.signal] ?? NO_OVERRIDE;
    const conversation = (enabled ?? detector.enabledByDefault) ? conversationFor(detector) : null;
    if (!conversation) continue;
    for (const found of detector.detect(conversation, configuration)) {
      for (const part of partsOf(found)) seen.push(occurrenceOf(detector, part, severity));
    }
  }
  return seen;
}

function keywordsIn(
  conversation: ConversationSnapshot,
  { keywords, signalOverrides }: SignalSettings,
): RuleOccurrence[] {
  const override = signalOverrides[KEYWORD_SIGNAL] ?? NO_OVERRIDE;
  if (keywords.length === 0 || override.enabled === false) return [];
  const severity = override.severity ?? KEYWORD_SEVERITY;
  return keywordSignals(conversation, keywords).map(({ name, ...signal }) => ({
    ...signal,
    signal: name,
    severity,
    confidence: KEYWORD_CONFIDENCE,
  }));
}

function occurrenceOf(detector: Detector, found: DetectedSignal, severity = detector.severity): RuleOccurrence {
  // Field by field: copying all but one is many times slower, and some conversations have hundreds.
  const { name, score, verdict, evidence, cause, summary } = found;
  const title = wholeWords(found.title, TITLE_LIMIT);
  const confidence = detector.confidence ?? confidenceOf(name, score).value;
  return { signal: name, severity, score, confidence, verdict, evidence, cause, title, summary };
}
