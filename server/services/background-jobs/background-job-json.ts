import { and, eq, type SQL, sql } from "drizzle-orm";
import { isOneOf } from "@/db/rows";
import { jobRuns, ruleRuns } from "@/db/schema";
import type { JobEvent } from "@/db/schema/engine";
import { env } from "@/env";
import { inngestServer } from "@/server/engine/configuration";
import type { Ctx } from "@/server/platform/context";
import { describeFunction } from "@/server/platform/jobs/catalogue";
import { readNames, type ThingRef } from "@/server/platform/names";
import { eventIds } from "./event-ids";
import { redactError } from "./redact-error";
import type { BackgroundJob } from "./schemas";

export type Row = typeof jobRuns.$inferSelect;

/** Queued after a failure, due or not. */
const RETRYING = sql`${jobRuns.attempt} > 0 and ${jobRuns.state} in ('queued', 'sleeping')`;

export const stateOf = ({ state, attempt }: Pick<Row, "state" | "attempt">): BackgroundJob["state"] =>
  attempt > 0 && (state === "queued" || state === "sleeping") ? "retrying" : state;

/** Returns the state as an SQL condition, spelled like the predicate of the partial index that serves it. */
export function inState(state: BackgroundJob["state"]): SQL | undefined {
  switch (state) {
    case "completed":
      return eq(jobRuns.state, state);
    case "failed":
    case "cancelled":
      return and(eq(jobRuns.state, state), sql`${jobRuns.state} in ('failed', 'cancelled')`);
    case "retrying":
      return and(UNFINISHED, RETRYING);
    case "queued":
    case "sleeping":
      return and(UNFINISHED, eq(jobRuns.state, state), eq(jobRuns.attempt, 0));
    default:
      return and(UNFINISHED, eq(jobRuns.state, state));
  }
}
export const UNFINISHED = sql`${jobRuns.finishedAt} is null`;

/** Converts jobs for members: with the first `shown` ids of each kind, and the counts of all. */
export async function backgroundJobsJson(ctx: Ctx, rows: readonly Row[], shown: number): Promise<BackgroundJob[]> {
  const carried = new Map(rows.map((row) => [row.id, eventIds(row.event)]));
  const conversationOf = await conversationsOfRuns(ctx, [...carried.values()].flatMap(runIdsOf));
  const conversationsOf = (row: Row) => [
    ...new Set(runIdsOf(carried.get(row.id) ?? []).flatMap((id) => conversationOf.get(id) ?? [])),
  ];
  const thingsOf = (row: Row): ThingRef[] => [
    ...conversationsOf(row)
      .slice(0, shown)
      .map((id) => ({ type: "conversation", id })),
    ...(carried.get(row.id) ?? []).flatMap(({ of, ids }) => ids.slice(0, shown).map((id) => ({ type: of, id }))),
  ];
  const nameOf = await readNames(ctx, rows.flatMap(thingsOf));
  return rows.map((row) => {
    const carriedIds = carried.get(row.id) ?? [];
    const conversations = conversationsOf(row);
    const { name, uncancellable, afterFailure } = describeFunction(row.functionId);
    const finished = row.finishedAt !== null;
    const names = thingsOf(row).map((thing) => [thing.id, nameOf(thing)] as const);
    return {
      id: row.id,
      functionId: row.functionId,
      functionName: name,
      afterFailure,
      eventName: row.event.name,
      carries: carriedIds.map(({ of, ids }) => ({ of, count: ids.length, ids: ids.slice(0, shown) })),
      conversationIds: conversations.slice(0, shown),
      conversationCount: conversations.length,
      names: Object.fromEntries(names.filter((named): named is [string, string] => named[1] !== null)),
      state: stateOf(row),
      attempts: row.startedAt === null ? 0 : row.retries + 1,
      error: redactError(row.error, knownTo(row)),
      cancellable: !finished && row.state !== "running" && !uncancellable,
      replayable: (row.state === "failed" || row.state === "cancelled") && !inngestServer(env()),
      createdAt: row.createdAt,
      startedAt: row.startedAt,
      finishedAt: row.finishedAt,
      nextAt: finished || row.state === "running" ? null : row.dueAt,
    };
  });
}

/** Returns a job's id and event as text: an error may show ids that occur in it. */
export const knownTo = ({ id, event }: { id: string; event: JobEvent }) => `${id} ${JSON.stringify(event)}`;

const runIdsOf = (carriedIds: ReturnType<typeof eventIds>) =>
  carriedIds.flatMap(({ of, ids }) => (of === "run" ? ids : []));

async function conversationsOfRuns(ctx: Ctx, runIds: readonly string[]): Promise<Map<string, string>> {
  if (runIds.length === 0) return new Map();
  const rows = await ctx.db
    .select({ id: ruleRuns.id, conversationId: ruleRuns.conversationId })
    .from(ruleRuns)
    .where(and(eq(ruleRuns.projectId, ctx.projectId), isOneOf(ruleRuns.id, runIds)));
  return new Map(rows.map((row) => [row.id, row.conversationId]));
}
