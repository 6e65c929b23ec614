import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { isOneOf, textArray } from "@/db/rows";
import { ruleRunDetections } from "@/db/schema";
import { insertRows } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import type { RuleOccurrence, RuleResult } from "../rules";
import { evidence, severity } from "../schemas";
import { RUN_COLUMNS, type Run, runOf } from "./started-runs";

/** Maximum Signals of a Run about which the adjudicator is asked, highest score first. */
const QUESTIONS_MAX = 8;
/** Quotes stored per Signal. */
const EVIDENCE_MAX = 20;

const storedSignal = z.object({
  signal: z.string(),
  severity,
  score: z.number(),
  confidence: z.number(),
  verdict: z.enum(["match", "ambiguous"]),
  evidence: z.array(evidence),
  cause: z.string(),
  title: z.string(),
  summary: z.string(),
}) satisfies z.ZodType<RuleOccurrence>;

const storedDetection = z.object({
  occurrences: z.array(storedSignal),
  /** Evidence of these refers to the messages of the snapshot, not of the conversation as it is now. */
  undecided: z.array(storedSignal),
  dropped: z.object({ belowScore: z.int(), belowConfidence: z.int(), ambiguous: z.int() }),
  notes: z.array(z.string()),
  /** Unix ms of the newest activity read. */
  readUntil: z.number(),
  /** Why the Run is skipped after all: its own Rule has no verdict. */
  skipReason: z.string().optional(),
}) satisfies z.ZodType<RuleResult>;

/** What a Run has found, with what is still undecided. Stored between the steps of a Run. */
export type Detection = z.infer<typeof storedDetection>;
export type DetectedRun = { run: Run; detection: Detection };

/** Limits what is stored: further ambiguous Signals keep the deterministic verdict, and the notes say so. */
export function boundedDetection(result: RuleResult, readUntil: number): Detection {
  const ranked = [...result.undecided].sort((one, other) => other.score - one.score);
  const more = ranked.length - QUESTIONS_MAX;
  const notes =
    more > 0
      ? [
          `${more} more ambiguous ${more === 1 ? "signal was" : "signals were"} left out without asking the adjudicator.`,
        ]
      : [];
  return {
    ...result,
    undecided: ranked.slice(0, QUESTIONS_MAX).map((one) => ({ ...one, evidence: one.evidence.slice(0, EVIDENCE_MAX) })),
    dropped: { ...result.dropped, ambiguous: result.dropped.ambiguous + Math.max(0, more) },
    notes: [...result.notes, ...notes],
    readUntil,
  };
}

/** Stores what Runs have detected so far, replacing what they stored before. */
export const storeDetections = (tx: Ctx, detected: readonly DetectedRun[]) =>
  insertRows(tx.db, ruleRunDetections, {
    same: { project_id: tx.projectId },
    rows: detected.map(({ run, detection }) => ({
      id: run.id,
      conversation_id: run.conversationId,
      detected: detection,
    })),
    left: ["created_at"],
    onConflict: {},
  });

/** Returns the running Runs among these that have stored detections. */
export async function readDetections(ctx: Ctx, runIds: readonly string[]): Promise<DetectedRun[]> {
  const rows = await ctx.db.execute<Parameters<typeof runOf>[0] & { detected: unknown }>(sql`
    select ${RUN_COLUMNS}, d.detected
    from rule_run_detections d join rule_runs r on r.project_id = d.project_id and r.id = d.id
    where d.project_id = ${ctx.projectId} and d.id = any(${textArray(runIds)}) and r.status = 'running'
    order by r.conversation_id, r.id`);
  return [...rows].map((row) => ({ run: runOf(row), detection: storedDetection.parse(row.detected) }));
}

/** Returns which of these Runs have stored detections. */
export async function detectedRunIds(ctx: Ctx, runIds: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await ctx.db
    .select({ id: ruleRunDetections.id })
    .from(ruleRunDetections)
    .where(and(eq(ruleRunDetections.projectId, ctx.projectId), isOneOf(ruleRunDetections.id, runIds)));
  return new Set(rows.map(({ id }) => id));
}

/** Deletes what these Runs stored between their steps. */
export const deleteDetections = (tx: Ctx, runIds: readonly string[]) =>
  tx.db
    .delete(ruleRunDetections)
    .where(and(eq(ruleRunDetections.projectId, tx.projectId), isOneOf(ruleRunDetections.id, runIds)));
