import { and, eq, inArray, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { isOneOf, textArray } from "@/db/rows";
import { ruleRuns } from "@/db/schema";
import { updateOf } from "@/db/sets";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { logger } from "@/server/platform/logging/log";
import { readSnapshots, type Snapshot, type SnapshotContent } from "@/server/services/telemetry";
import { lockFindings, recordOccurrences } from "../findings/record-occurrences";
import { type RuleResult, runDetectors } from "../rules";
import { type ConfiguredRule, configurationsAt, configuredRules } from "../settings/rule-settings";

type Run = Snapshot & {
  id: string;
  ruleId: string;
  ruleVersion: number;
  configurationRevision: number;
  tracesKey: string;
};
type Outcome = { run: Run } & ({ snapshot: SnapshotContent; result: RuleResult } | { skipReason: string });

/**
 * Executes Runs that are queued, were left running by a crashed worker, or whose failed job is replayed. Detection is pure,
 * and results commit together with the Run's completion, so executing a Run twice is idempotent. Throws when any Run
 * failed; the others stay completed, and a retry executes only what is left.
 */
export async function executeRuleRuns(ctx: Ctx, runIds: readonly string[]): Promise<{ completed: number }> {
  const started = await startRuns(ctx, runIds);
  if (started.length === 0) return { completed: 0 };

  const rules = new Map((await configuredRules(ctx)).map((configured) => [configured.rule.id, configured]));
  const configurationAt = await configurationsAt(
    ctx,
    started.map((run) => run.configurationRevision),
  );
  const snapshotOf = await loadSnapshots(ctx, started);

  const outcomes: Outcome[] = [];
  const failures: unknown[] = [];
  for (const run of started) {
    try {
      outcomes.push({ run, ...execute(run, rules.get(run.ruleId), configurationAt, snapshotOf(run)) });
    } catch (error) {
      failures.push(error);
      logger("diagnostics").error({ err: error, runId: run.id, ruleId: run.ruleId }, "A Rule Run failed.");
    }
  }

  await inTransaction(ctx, (tx) => finishRuns(tx, outcomes));
  if (failures.length > 0) throw new Error(`${failures.length} Rule Runs failed.`, { cause: failures[0] });
  return { completed: outcomes.length };
}

/** Marks unfinished Runs as failed once their retries are exhausted. */
export async function failRuleRuns(ctx: Ctx, runIds: readonly string[], message: string) {
  await ctx.db
    .update(ruleRuns)
    .set({ status: "failed", errorMessage: message.slice(0, 2000), finishedAt: NOW })
    .where(
      and(
        eq(ruleRuns.projectId, ctx.projectId),
        isOneOf(ruleRuns.id, runIds),
        inArray(ruleRuns.status, ["queued", "running"]),
      ),
    );
}

/** Marks Runs as running and returns them. A failed Run that has been queued again as a newer Run is left out. */
async function startRuns(ctx: Ctx, runIds: readonly string[]): Promise<Run[]> {
  if (runIds.length === 0) return [];
  const rows = await ctx.db.execute<RunRow>(sql`
    update rule_runs r set status = 'running', attempts = r.attempts + 1, error_message = null, started_at = ${NOW},
      finished_at = null
    where r.project_id = ${ctx.projectId} and r.id = any(${textArray(runIds)})
      and (r.status in ('queued', 'running') or r.status = 'failed' and not exists (
        select 1 from rule_runs o
        where o.project_id = r.project_id and o.conversation_id = r.conversation_id and o.rule_id = r.rule_id
          and o.rule_version = r.rule_version and o.configuration_revision = r.configuration_revision
          and o.last_activity_at = r.last_activity_at and o.traces_key = r.traces_key
          and (o.status not in ('skipped', 'failed') or (o.created_at, o.id) > (r.created_at, r.id))))
    returning r.id, r.rule_id, r.rule_version, r.configuration_revision, r.conversation_id, r.last_activity_at,
      r.trace_ids, r.traces_key`);
  return [...rows].map((row) => ({
    id: row.id,
    ruleId: row.rule_id,
    ruleVersion: row.rule_version,
    configurationRevision: row.configuration_revision,
    conversationId: row.conversation_id,
    lastActivityAt: Number(row.last_activity_at),
    traceIds: row.trace_ids,
    tracesKey: row.traces_key,
  }));
}

type RunRow = {
  id: string;
  rule_id: string;
  rule_version: number;
  configuration_revision: number;
  conversation_id: string;
  last_activity_at: string;
  trace_ids: string[];
  traces_key: string;
};

/** Loads each snapshot once, however many Rules read it. */
async function loadSnapshots(ctx: Ctx, runs: readonly Run[]) {
  const keyOf = (run: Run) => `${run.conversationId} ${run.lastActivityAt} ${run.tracesKey}`;
  const wanted = new Map(runs.map((run) => [keyOf(run), run]));
  const read = await readSnapshots(ctx, [...wanted.values()]);
  const byKey = new Map([...wanted.keys()].map((key, index) => [key, read[index]]));
  return (run: Run): SnapshotContent | undefined => byKey.get(keyOf(run));
}

function execute(
  run: Run,
  configured: ConfiguredRule | undefined,
  configurationAt: Awaited<ReturnType<typeof configurationsAt>>,
  snapshot: SnapshotContent | undefined,
) {
  if (!configured) return { skipReason: "This version of Whetstone does not have the Rule." };
  if (!configured.enabled) return { skipReason: "The Rule is turned off." };
  if (!snapshot || snapshot.messages.length + snapshot.modelCalls.length + snapshot.toolCalls.length === 0) {
    return { skipReason: emptyReason(run, snapshot) };
  }
  const found = runDetectors(configured.rule, snapshot, configurationAt(configured.rule, run.configurationRevision));
  const unknown = snapshot.unknownTraceIds.length;
  const notes =
    unknown > 0
      ? [`${unknown} of the named traces ${unknown === 1 ? "does" : "do"} not belong to this conversation.`]
      : [];
  return {
    snapshot,
    result: {
      ...found,
      notes: [...found.notes, ...notes],
      occurrences: found.occurrences.map((occurrence) => ({
        ...occurrence,
        evidence: occurrence.evidence.map((one) => ({
          ...one,
          messageIndex: currentIndex(snapshot, one.messageIndex),
        })),
      })),
    },
  };
}

/** Maps an index in the snapshot to one in the current conversation, which may have more messages. */
const currentIndex = ({ positions }: SnapshotContent, index: number | null) =>
  index === null ? null : (positions[index] ?? null);

function emptyReason({ traceIds }: Run, snapshot: SnapshotContent | undefined) {
  if (traceIds.length > 0 && snapshot?.unknownTraceIds.length === traceIds.length) {
    return "None of the named traces belongs to this conversation.";
  }
  return traceIds.length > 0
    ? "The named traces had no messages or calls by then."
    : "The conversation had no messages or calls by then.";
}

async function finishRuns(tx: Ctx, outcomes: readonly Outcome[]) {
  const read = outcomes.filter((outcome) => "result" in outcome);
  await lockFindings(
    tx,
    read.map(({ run }) => run.ruleId),
  );
  const rows = outcomes.map((outcome) => ({
    id: outcome.run.id,
    status: "result" in outcome ? ("completed" as const) : ("skipped" as const),
    result_count: "result" in outcome ? outcome.result.occurrences.length : null,
    read_until: "result" in outcome ? outcome.snapshot.lastActivityAt : null,
    skip_reason: "skipReason" in outcome ? outcome.skipReason : null,
    notes: "result" in outcome ? outcome.result.notes : [],
  }));
  // Before recording results, because each Run is compared with all completed ones, including the others of this batch.
  const finish = updateOf(ruleRuns, rows);
  await tx.db.execute(sql`
    update rule_runs set ${finish.set}, finished_at = ${NOW} from ${finish.rows}
    where rule_runs.project_id = ${tx.projectId} and ${finish.matches}`);
  await recordOccurrences(
    tx,
    read.map(({ run, snapshot, result }) => ({ run, conversation: snapshot, occurrences: result.occurrences })),
  );
}
