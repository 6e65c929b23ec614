import type { Ctx } from "@/server/platform/context";
import { logger } from "@/server/platform/logging/log";
import { loggable } from "@/server/platform/logging/loggable";
import { snapshotLengths, type WindowSize } from "@/server/services/telemetry";
import { findAdjudicator, openAdjudicator, type Session } from "../adjudicator";
import { type Judge, openJudge } from "../own-rules/judge";
import { OWN_SIGNAL, TOO_LONG } from "../own-rules/own-rule";
import type { RuleConfiguration, RuleOccurrence } from "../rules";
import { configurationsAt, rulesOfRuns } from "../settings/rule-settings";
import type { Rule } from "../types";
import { type Excerpt, readExcerpt } from "../windows/read-long";
import { currentEvidence } from "./current-evidence";
import { type DetectedRun, readDetections, storeDetections } from "./detections";
import { isolateFailures } from "./isolate-failures";
import { loadSnapshots } from "./load-snapshots";

/** Maximum questions in progress at the same time, so that an endpoint is not flooded. */
const ASKED_AT_ONCE = 4;

/**
 * Asks the adjudicator about what these Runs left undecided and stores what it settles. Never fails a Run: what it does not
 * settle keeps the deterministic verdict, and the Run's notes say so. Answers are cached, so a repetition asks nothing again.
 * For a long conversation (`size`: of its windows), a question shows the messages around its evidence.
 */
export async function adjudicateRuleRuns(ctx: Ctx, runIds: readonly string[], size?: WindowSize): Promise<void> {
  if (runIds.length === 0) return;
  const open = (await readDetections(ctx, runIds)).filter(({ detection }) => detection.undecided.length > 0);
  if (open.length === 0) return;
  const adjudicator = await findAdjudicator(ctx);
  if (!adjudicator) return storeDetections(ctx, open.map(disconnected));

  const judges = { session: openAdjudicator(ctx, adjudicator), own: openJudge(ctx, adjudicator) };
  const configurationAt = await configurationsAt(
    ctx,
    open.map(({ run }) => run.configurationRevision),
  );
  const runs = open.map(({ run }) => run);
  const ruleOf = await rulesOfRuns(ctx, runs);
  const lengths = await snapshotLengths(ctx, runs, size);
  const isLong = new Set(runs.filter((_, nth) => lengths[nth]?.isLong));
  const snapshotOf = await loadSnapshots(
    ctx,
    runs.filter((run) => !isLong.has(run)),
  );
  const undecidedIn = async ({ run, detection: { undecided: candidates } }: DetectedRun) => {
    if (isLong.has(run)) return readExcerpt(ctx, run, candidates);
    const conversation = snapshotOf(run);
    return conversation && { candidates, conversation };
  };
  const settleAs = async (settled: DetectedRun) => {
    await storeDetections(ctx, [settled]);
    return [settled];
  };
  const settle = async (one: DetectedRun) => {
    const rule = ruleOf(one.run)?.rule;
    // It has grown since it was detected.
    if (rule?.own && isLong.has(one.run)) return settleAs(undecided(one, TOO_LONG));
    const configured = rule && { rule, configuration: configurationAt(rule, one.run.configurationRevision) };
    const settled = await settledRun(judges, one, await undecidedIn(one), configured);
    return settleAs(settled);
  };
  const waiting = [...open];
  await Promise.all(
    Array.from({ length: ASKED_AT_ONCE }, async () => {
      for (let next = waiting.shift(); next; next = waiting.shift()) {
        const { failures } = await isolateFailures([next], async ([one]) => settle(one!));
        for (const { item, error } of failures) {
          logger("diagnostics").error({ err: loggable(error), runId: item.run.id }, "The adjudicator failed.");
          await storeDetections(ctx, [undecided(item, "The adjudicator failed.")]);
        }
      }
    }),
  );
}

/** Drops what is undecided, as without an adjudicator. A Run of an own Rule has no other verdict, and is skipped. */
const undecided = ({ run, detection }: DetectedRun, why: string): DetectedRun => ({
  run,
  detection: {
    ...detection,
    ...(detection.undecided.some(({ signal }) => signal === OWN_SIGNAL) && { skipReason: why }),
    undecided: [],
    dropped: { ...detection.dropped, ambiguous: detection.dropped.ambiguous + detection.undecided.length },
    notes: [...detection.notes, `${why} The deterministic verdict applies.`],
  },
});

const disconnected = (one: DetectedRun) => undecided(one, "No adjudicator is connected anymore.");

const GONE = "The conversation was deleted.";

async function settledRun(
  judges: { session: Session; own: Judge },
  one: DetectedRun,
  excerpt: Excerpt | undefined,
  configured: { rule: Rule; configuration: RuleConfiguration } | undefined,
): Promise<DetectedRun> {
  if (!configured || !excerpt) return undecided(one, GONE);
  const { candidates, conversation } = excerpt;
  const { rule, configuration } = configured;
  const { adjudicationModel: model } = configuration;
  const { run, detection } = one;
  const settled = { ...detection, undecided: [], dropped: { ...detection.dropped }, notes: [...detection.notes] };
  const occurrences = [...detection.occurrences];
  for (const candidate of candidates) {
    let match: RuleOccurrence | null;
    if (rule.own && candidate.signal === OWN_SIGNAL) {
      const judged = await judges.own({ definition: rule.own, model, candidate, conversation });
      if (judged.unanswered !== null) return undecided(one, `The adjudicator did not judge it: ${judged.unanswered}.`);
      match = judged.match;
      settled.notes.push(...judged.notes);
    } else {
      const { note, ...answered } = await judges.session.settle(candidate, model, conversation);
      match = answered.match;
      settled.notes.push(note);
    }
    if (!match) settled.dropped.ambiguous++;
    else if (match.confidence < configuration.minDiagnosticConfidence) settled.dropped.belowConfidence++;
    else occurrences.push(currentEvidence(match, conversation));
  }
  return { run, detection: { ...settled, occurrences } };
}
