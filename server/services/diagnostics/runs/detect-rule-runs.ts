import { and, eq } from "drizzle-orm";
import { isOneOf } from "@/db/rows";
import { conversations } from "@/db/schema";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { inPieces, snapshotLengths, type WindowSize } from "@/server/services/telemetry";
import { findAdjudicator, isAdjudication } from "../adjudicator";
import type { DiagnosedSnapshot } from "../baselines/snapshots-with-baseline";
import { isJudged, TOO_LONG } from "../own-rules/own-rule";
import { type RuleConfiguration, type RuleResult, resultOf, runDetectors } from "../rules";
import { configurationsAt, rulesOfRuns } from "../settings/rule-settings";
import type { Rule } from "../types";
import { type LongReading, readLong } from "../windows/read-long";
import { currentEvidence } from "./current-evidence";
import { boundedDetection, type DetectedRun, detectedRunIds, storeDetections } from "./detections";
import { type FinishedRun, finishRuns } from "./finish-runs";
import { isolateFailures } from "./isolate-failures";
import { keyOfSnapshot, loadSnapshots } from "./load-snapshots";
import { type FailedRun, noteFailures } from "./note-failures";
import { type Run, startRuns, storeRunning } from "./started-runs";

/** `undecided` wait for the adjudicator. `failed` could not be executed; the others are finished. */
export type DetectedRuns = { finished: number; undecided: string[]; failed: string[] };

/**
 * Detects and records: every Run with nothing to adjudicate is completed or skipped, and the others store what they have
 * detected. A Run that fails does not fail the others. Detection is pure, so executing a Run again is idempotent; one that
 * has stored its detections is not read again. Throws if every Run fails. `size`: of the windows in which a long conversation
 * is read.
 */
export async function detectRuleRuns(ctx: Ctx, runIds: readonly string[], size?: WindowSize): Promise<DetectedRuns> {
  const started = await startRuns(ctx, runIds);
  const detected = await detectedRunIds(ctx, runIds);
  const undecided = started.filter(({ id }) => detected.has(id)).map(({ id }) => id);
  const failures: FailedRun[] = [];
  const detector = await runDetector(ctx, started);

  const open = started.filter(({ id }) => !detected.has(id));
  for (const some of await inChunks(ctx, open)) {
    const { results, failures: broken } = await isolateFailures(some, (conversationsRuns) =>
      executeSome(ctx, conversationsRuns.flat(), detector, size),
    );
    for (const one of results) {
      undecided.push(...one.undecided);
      failures.push(...one.failures);
    }
    for (const { item, error } of broken) failures.push(...item.map((run) => ({ run, error })));
  }

  await noteFailures(ctx, failures, { succeeded: started.length - failures.length });
  return {
    finished: started.length - undecided.length - failures.length,
    undecided,
    failed: failures.map(({ run }) => run.id),
  };
}

/** Groups Runs by conversation, and those into chunks that fit into memory. */
async function inChunks(ctx: Ctx, runs: readonly Run[]): Promise<Run[][][]> {
  const groups = new Map<string, Run[]>();
  for (const run of runs) {
    const group = groups.get(run.conversationId);
    if (group) group.push(run);
    else groups.set(run.conversationId, [run]);
  }
  const sizes = await messageCounts(ctx, [...groups.keys()]);
  return inPieces([...groups.values()], ([run]) => sizes.get(run!.conversationId) ?? 0);
}

async function messageCounts(ctx: Ctx, ids: readonly string[]): Promise<ReadonlyMap<string, number>> {
  if (ids.length <= 1) return new Map();
  const rows = await ctx.db
    .select({ id: conversations.id, messages: conversations.messageCount })
    .from(conversations)
    .where(and(eq(conversations.projectId, ctx.projectId), isOneOf(conversations.id, ids)));
  return new Map(rows.map(({ id, messages }) => [id, messages]));
}

type Detected = FinishedRun | DetectedRun;
type Outcome = Detected | { error: unknown };

const byRule = (a: Run, b: Run) => (a.ruleId < b.ruleId ? -1 : a.ruleId > b.ruleId ? 1 : 0);

/** Loads the snapshots, detects, and commits what was found. */
async function executeSome(ctx: Ctx, runs: readonly Run[], detector: RunDetector, size: WindowSize | undefined) {
  const outcomes = await outcomesInWindows(ctx, runs, detector, size);
  const short = runs.filter(({ id }) => !outcomes.has(id));
  const snapshotOf = await loadSnapshots(ctx, short);
  // Rule by Rule, which is about a seventh faster than conversation by conversation: a Rule's code stays in the cache.
  for (const run of short.sort(byRule)) {
    try {
      outcomes.set(run.id, detector.whole(run, snapshotOf(run)));
    } catch (error) {
      outcomes.set(run.id, { error });
    }
  }
  const finished: FinishedRun[] = [];
  const waiting: DetectedRun[] = [];
  const failures: FailedRun[] = [];
  for (const run of runs) {
    const one = outcomes.get(run.id)!;
    if ("error" in one) failures.push({ run, error: one.error });
    else if ("detection" in one) waiting.push(one);
    else finished.push(one);
  }
  await inTransaction(ctx, async (tx) => {
    await finishRuns(tx, finished);
    await storeRunning(
      tx,
      waiting.map(({ run }) => run),
    );
    await storeDetections(tx, waiting);
  });
  return [{ undecided: waiting.map(({ run }) => run.id), failures }];
}

/** Reads long conversations in windows, each once for all its Runs, and returns the outcomes by Run id. */
async function outcomesInWindows(
  ctx: Ctx,
  runs: readonly Run[],
  detector: RunDetector,
  size: WindowSize | undefined,
): Promise<Map<string, Outcome>> {
  const outcomes = new Map<string, Outcome>();
  const lengths = await snapshotLengths(ctx, runs, size);
  const groups = new Map<string, { startedAt: number; runs: Run[] }>();
  for (const [nth, run] of runs.entries()) {
    const length = lengths[nth];
    if (!length?.isLong) continue;
    const key = keyOfSnapshot(run);
    const group = groups.get(key);
    if (group) group.runs.push(run);
    else groups.set(key, { startedAt: length.startedAt, runs: [run] });
  }
  for (const { startedAt, runs: ofOne } of groups.values()) {
    const open: { run: Run; rule: Rule; configuration: RuleConfiguration }[] = [];
    for (const run of ofOne) {
      const configured = detector.configured(run);
      if ("skipReason" in configured) outcomes.set(run.id, { run, ...configured });
      else if (configured.rule.own) outcomes.set(run.id, { run, skipReason: TOO_LONG });
      else open.push({ run, ...configured });
    }
    const read = open.length > 0 && (await readLong(ctx, { snapshot: open[0]!.run, startedAt, rules: open, size }));
    // The conversation is gone; loading it again below says so in each Run.
    if (!read) continue;
    for (const [nth, one] of open.entries()) outcomes.set(one.run.id, detector.inWindows(one, read, nth));
  }
  return outcomes;
}

type ConfiguredRun = { rule: Rule; configuration: RuleConfiguration };
type RunDetector = {
  /** Returns the Rule of a Run with the settings of its revision, or why it is skipped. */
  configured: (run: Run) => ConfiguredRun | { skipReason: string };
  /** Executes a Run over its snapshot. */
  whole: (run: Run, snapshot: DiagnosedSnapshot | undefined) => Detected;
  /** Returns the outcome of a Run whose conversation was read in windows, in which it was the `nth` that was asked. */
  inWindows: (configured: ConfiguredRun & { run: Run }, read: LongReading, nth: number) => Outcome;
};

/** Returns functions that execute Runs with the settings of their revisions. */
async function runDetector(ctx: Ctx, runs: readonly Run[]): Promise<RunDetector> {
  const ruleOf = await rulesOfRuns(ctx, runs);
  const configurationAt = await configurationsAt(
    ctx,
    runs.map((run) => run.configurationRevision),
  );
  const needsAdjudicator = runs.some((run) => {
    const configured = ruleOf(run);
    return configured && configurationAt(configured.rule, run.configurationRevision).adjudicationMode === "auto";
  });
  const adjudicatorConnected = needsAdjudicator && (await findAdjudicator(ctx)) !== null;

  const configure: RunDetector["configured"] = (run) => {
    const configured = ruleOf(run);
    if (!configured) return { skipReason: "This version of Whetstone does not have the Rule." };
    if (!configured.enabled) return { skipReason: "The Rule is turned off." };
    const { rule } = configured;
    const configuration = configurationAt(rule, run.configurationRevision);
    // Before its filter: otherwise only what the filter leaves out would count as read.
    const isAsked = rule.own !== undefined && isJudged(rule.own);
    if (isAsked && configuration.adjudicationMode !== "auto") return { skipReason: NOT_ASKED };
    if (isAsked && !adjudicatorConnected) return { skipReason: NO_JUDGE };
    return { rule, configuration };
  };
  const detected = (
    run: Run,
    { occurrences: found, ...result }: RuleResult,
    conversation: Pick<DiagnosedSnapshot, "lastActivityAt" | "unknownTraceIds" | "positions">,
  ): Detected => {
    const { lastActivityAt } = conversation;
    const notes = [...result.notes, ...unknownTraces(conversation)];
    const occurrences = found.map((one) => currentEvidence(one, conversation));
    if (result.undecided.length > 0) {
      return { run, detection: boundedDetection({ ...result, occurrences, notes }, lastActivityAt) };
    }
    return { run, found: { occurrences, notes, readUntil: lastActivityAt } };
  };
  return {
    configured: configure,
    whole: (run, snapshot) => {
      const configured = configure(run);
      if ("skipReason" in configured) return { run, ...configured };
      if (!snapshot || snapshot.messages.length + snapshot.modelCalls.length + snapshot.toolCalls.length === 0) {
        return { run, skipReason: emptyReason(run, snapshot?.unknownTraceIds) };
      }
      if (isAdjudication(ctx.projectId, snapshot)) return { run, skipReason: OWN_CALL };
      const { rule, configuration } = configured;
      const result = runDetectors(rule, snapshot, configuration, { adjudicatorConnected });
      return detected(run, result, snapshot);
    },
    inWindows: ({ run, configuration }, read, nth) => {
      if (read.isEmpty) return { run, skipReason: emptyReason(run, read.conversation.unknownTraceIds) };
      if (read.isAdjudication) return { run, skipReason: OWN_CALL };
      const found = read.found[nth]!;
      if ("error" in found) return found;
      return detected(run, resultOf(found.signals, configuration, { adjudicatorConnected }), read.conversation);
    },
  };
}

const NO_JUDGE = "No model is connected, and only a model can judge a Rule in your own words.";
const NOT_ASKED = "The Rule leaves ambiguous Signals out, so no model is asked, and only a model can judge it.";
const OWN_CALL =
  "The conversation is a question to this project's adjudicator. Such conversations are never diagnosed.";

function unknownTraces({ unknownTraceIds: { length: unknown } }: Pick<DiagnosedSnapshot, "unknownTraceIds">): string[] {
  if (unknown === 0) return [];
  return [`${unknown} of the named traces ${unknown === 1 ? "does" : "do"} not belong to this conversation.`];
}

function emptyReason({ traceIds }: Run, unknownTraceIds: readonly string[] | undefined) {
  if (traceIds.length > 0 && unknownTraceIds?.length === traceIds.length) {
    return "None of the named traces belongs to this conversation.";
  }
  return traceIds.length > 0
    ? "The named traces had no messages or calls by then."
    : "The conversation had no messages or calls by then.";
}
