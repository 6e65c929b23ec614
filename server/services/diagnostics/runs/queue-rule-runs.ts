import { createHash } from "node:crypto";
import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { ruleRuns } from "@/db/schema";
import { type RowOf, rowsFor } from "@/db/sets";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import { RUNS_PER_EVENT, ruleRunsQueued } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import type { Snapshot } from "@/server/services/telemetry";
import type { ConfiguredRule } from "../settings/rule-settings";

/** Returns a deduplication key for a set of trace ids, independent of their order; empty when there are none. */
export const tracesKeyOf = (traceIds: readonly string[]) =>
  traceIds.length === 0
    ? ""
    : createHash("sha256")
        .update(JSON.stringify([...new Set(traceIds)].sort()))
        .digest("base64url");

/** Columns that a Run gets when it executes. */
const LEFT = [
  "attempts",
  "result_count",
  "read_until",
  "skip_reason",
  "error_message",
  "notes",
  "created_at",
  "started_at",
  "finished_at",
] as const;

type Options =
  | {
      origin: "on_demand" | "automatic";
      again?: boolean;
      /** Part of a selection: queued separately from Runs that a person is waiting for. */
      bulk?: boolean;
      backfillId?: undefined;
    }
  | { origin: "backfill"; again?: undefined; bulk?: undefined; backfillId: string };

const HASH_VALUES = 2 ** 32;

/** Returns where a conversation lies in [0, 1), by its id: a Rule samples those below its rate. */
const sampleOf = (conversationId: string) =>
  createHash("sha256").update(conversationId).digest().readUInt32BE() / HASH_VALUES;

/** Returns whether a Rule reads the conversation: sampling applies to automatic Runs only. */
const covers =
  ({ conversationId }: Snapshot, origin: string) =>
  ({ configuration: { sampleRate } }: ConfiguredRule) =>
    origin !== "automatic" || sampleRate >= 1 || sampleOf(conversationId) < sampleRate;

/**
 * Queues one Run per Rule and snapshot, with its event, in the caller's transaction. The same combination of Rule, version,
 * settings and snapshot is not queued twice unless its Run was skipped or failed, or users have given feedback since it
 * completed. With `again` it is also queued when data has arrived since its Run was queued. The new Run is another one: a
 * Run that has completed stays as it is, with its origin. A conversation outside a Rule's sample gets no automatic Run. A
 * backfill gets a skipped Run for each repetition, so that its Runs cover every conversation that it has scanned. Returns
 * the ids of the newly queued Runs.
 */
export async function queueRuleRuns(
  ctx: Ctx,
  snapshots: readonly Snapshot[],
  rules: readonly ConfiguredRule[],
  { origin, again = false, bulk = false, backfillId }: Options,
): Promise<string[]> {
  const rows = snapshots.flatMap((snapshot) =>
    rules.filter(covers(snapshot, origin)).map(({ rule, revision }) => ({
      id: newId("run"),
      backfill_id: backfillId ?? null,
      rule_id: rule.id,
      rule_version: rule.version,
      configuration_revision: revision,
      conversation_id: snapshot.conversationId,
      last_activity_at: snapshot.lastActivityAt,
      trace_ids: snapshot.traceIds,
      traces_key: tracesKeyOf(snapshot.traceIds),
    })),
  );
  if (rows.length === 0) return [];
  const stored = await ctx.db.execute<Queued>(insertNew(ctx, rows, { origin, again }));
  // Ids are in the order in which the Runs were asked for, and so are the events' Runs.
  const queued = [...stored].sort((a, b) => (a.id < b.id ? -1 : 1));

  const ids = queued.map((row) => row.id);
  await emit(
    ctx.db,
    ...batchesOf(queued).map((runIds) =>
      ruleRunsQueued.create({ projectId: ctx.projectId, origin, runIds, ...(bulk ? { bulk: true as const } : {}) }),
    ),
  );
  if (backfillId !== undefined && ids.length < rows.length) {
    const isQueued = new Set(queued.map(pairOf));
    await storeRepetitions(
      ctx,
      rows.filter((row) => !isQueued.has(pairOf(row))),
    );
  }
  return ids;
}

/** Ordered by conversation, so that two transactions that insert the same Runs do so in the same order. */
function insertNew({ projectId }: Ctx, given: readonly Row[], { origin, again }: Pick<Options, "origin" | "again">) {
  const { columns, rows } = rowsFor(ruleRuns, [...LEFT, ...OF_ALL], given);
  // An on-demand Run that is still queued reads whatever has arrived by the time it starts. Other Runs are stored as queued
  // while they execute.
  const isOutdated = again
    ? sql`e.received_at > r.evidence_at and not (r.status = 'queued' and r.origin = 'on_demand')`
    : sql`e.feedback_at > r.evidence_at and r.status = 'completed'`;
  return sql`
    with t as materialized (select * from ${rows}),
    e as materialized (
      select known.id, coalesce(f.at, 0) as feedback_at, greatest(c.received_at, f.at, 0) as received_at
      from (select distinct conversation_id as id from t) known
      left join conversations c on c.project_id = ${projectId} and c.id = known.id
      left join lateral (
        select max(updated_at) as at from feedback
        where project_id = ${projectId} and conversation_id = known.id) f on true
    )
    insert into rule_runs (project_id, origin, status, evidence_at, ${columns})
    select ${projectId}, ${origin}, 'queued', e.received_at, t.*
    from t join e on e.id = t.conversation_id
    left join lateral (
      select r.status, r.origin, coalesce(r.evidence_at, r.started_at, r.created_at) as evidence_at
      from rule_runs r
      where ${sameQuestion(projectId)}
      order by r.created_at desc, r.id desc limit 1) r on true
    where r.status is null or ${isOutdated}
    order by t.conversation_id, t.rule_id
    on conflict
      (project_id, conversation_id, rule_id, rule_version, configuration_revision, last_activity_at, traces_key, evidence_at)
      where status not in ('skipped', 'failed') do nothing
    returning id, conversation_id, rule_id`;
}

/** The condition that a Run `r` reads the same as a row `t` would and has been neither skipped nor failed. */
const sameQuestion = (projectId: string) => sql`
  r.project_id = ${projectId} and r.conversation_id = t.conversation_id and r.rule_id = t.rule_id
    and r.rule_version = t.rule_version and r.configuration_revision = t.configuration_revision
    and r.last_activity_at = t.last_activity_at and r.traces_key = t.traces_key
    and r.status not in ('skipped', 'failed')`;

function idsByConversation(queued: readonly Queued[]): Iterable<string[]> {
  const groups = new Map<string, string[]>();
  for (const { id, conversation_id } of queued) {
    const group = groups.get(conversation_id);
    if (group) group.push(id);
    else groups.set(conversation_id, [id]);
  }
  return groups.values();
}

/** Splits Runs into events. The Runs of one conversation share an event, so that its snapshot is loaded once. */
function batchesOf(queued: readonly Queued[]): string[][] {
  const batches: string[][] = [];
  for (const ids of idsByConversation(queued)) {
    const last = batches.at(-1);
    if (last && last.length + ids.length <= RUNS_PER_EVENT) last.push(...ids);
    else batches.push(ids);
  }
  return batches;
}

type Queued = { id: string; conversation_id: string; rule_id: string };
const pairOf = ({ conversation_id, rule_id }: Pick<Queued, "conversation_id" | "rule_id">) =>
  `${conversation_id} ${rule_id}`;

/** Columns with one value for all Runs of a statement. */
const OF_ALL = ["project_id", "origin", "status", "evidence_at"] as const;
type Row = Omit<RowOf<typeof ruleRuns>, (typeof OF_ALL | typeof LEFT)[number]>;

/** Stores Runs of a backfill as skipped, each with a reason that names the Run that asks or has answered the same question. */
async function storeRepetitions(ctx: Ctx, rows: readonly Row[]) {
  const { columns, rows: repeated } = rowsFor(ruleRuns, [...LEFT, ...OF_ALL], rows);
  await ctx.db.execute(sql`
    insert into rule_runs (project_id, origin, status, skip_reason, finished_at, ${columns})
    select ${ctx.projectId}, 'backfill', 'skipped',
      coalesce(case when r.status = 'completed' then 'Already read with the same settings: ' else 'Already queued: ' end || r.id,
        'Already read with the same settings.'),
      ${NOW}, t.*
    from ${repeated} left join lateral (
      select r.id, r.status from rule_runs r
      where ${sameQuestion(ctx.projectId)}
      order by r.created_at desc, r.id desc limit 1) r on true`);
}
