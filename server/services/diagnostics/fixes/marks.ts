import { type SQL, sql } from "drizzle-orm";
import { textArray } from "@/db/rows";
import type { Ctx } from "@/server/platform/context";
import { type ConversationFilters, idsOfMatching, traitTerms, traitValues } from "@/server/services/telemetry";
import type { MarkDimension } from "./schemas";

/** By what the conversations with a fix are known: the filter of the list of conversations. */
export type Mark = { by: MarkDimension; value: string };

/** Conversations in which versions are looked for, which bounds the query's cost. */
const EXAMINED = 200_000;
/** Affected conversations whose services are looked at. */
const AFFECTED = 200;

/** Condition: conversations `c` have one of these versions, models, labels or prompts. */
export function hasAnyOf(by: MarkDimension, values: readonly string[]): SQL {
  if (by === "model") return sql`c.models && ${textArray(values)}`;
  if (by === "label") return sql`c.labels && ${textArray(values)}`;
  return sql`c.traits && ${textArray(traitTerms(by, values))}`;
}

/** Returns the values whose conversations have the fix, its own first: a version's fix is in those that appeared later, too. */
export async function valuesWithFix(
  ctx: Ctx,
  { mark, startedAt }: { mark: Mark | null; startedAt: number },
): Promise<string[]> {
  if (mark === null) return [];
  if (mark.by !== "version") return [mark.value];
  const later = await versionsSince(ctx, [serviceOf(mark.value)], startedAt);
  return [mark.value, ...later.map(({ value }) => value).filter((value) => value !== mark.value)];
}

/** Returns when the first conversation with a value began, not before `after`; `null` if there is none. Unix ms. */
export async function firstWith(ctx: Ctx, { by, value }: Mark, after: number): Promise<number | null> {
  const filter: ConversationFilters = { startedAfter: after, [by]: [value] };
  // By an index: a value that nothing has would be looked for in all conversations.
  if ((await idsOfMatching(ctx, filter, 1)).length === 0) return null;
  const [row] = await ctx.db.execute<{ at: string }>(sql`
    select c.started_at as at from conversations c
    where c.project_id = ${ctx.projectId} and c.started_at >= ${after}::bigint and ${hasAnyOf(by, [value])}
    order by c.started_at limit 1`);
  return row ? Number(row.at) : null;
}

/** Returns the versions of these services that appeared since then, the earliest first, and when: Unix ms. */
export async function versionsSince(
  ctx: Ctx,
  services: readonly string[],
  since: number,
): Promise<{ value: string; firstAt: number }[]> {
  const rows = await ctx.db.execute<{ value: string; first_at: string }>(sql`
    select value, min(started_at) as first_at from (
      select started_at, traits from conversations
      where project_id = ${ctx.projectId} and started_at >= ${since}::bigint
      order by started_at desc limit ${EXAMINED}
    ) c cross join lateral ${traitValues(sql`c.traits`, "version")} as of_each(value)
    group by value order by 2, 1`);
  const found: { value: string; firstAt: number }[] = [];
  for (const { value, first_at } of rows) {
    if (!services.includes(serviceOf(value))) continue;
    const earlier = await idsOfMatching(ctx, { version: [value], startedBefore: since }, 1);
    if (earlier.length === 0) found.push({ value, firstAt: Number(first_at) });
  }
  return found;
}

/** Returns the services whose versions the newest conversations with a Finding name. */
export async function servicesOf(ctx: Ctx, findingId: string): Promise<string[]> {
  const rows = await ctx.db.execute<{ value: string }>(sql`
    select distinct value from (
      select conversation_id from occurrences
      where project_id = ${ctx.projectId} and finding_id = ${findingId} order by detected_at desc limit ${AFFECTED}
    ) o
    cross join lateral (
      select traits from conversations where project_id = ${ctx.projectId} and id = o.conversation_id offset 0
    ) c
    cross join lateral ${traitValues(sql`c.traits`, "version")} as of_each(value)`);
  return [...new Set([...rows].map(({ value }) => serviceOf(value)))];
}

/** What a version is of: `shop 2.5.0` is of the service `shop`; a version alone is of none. */
const serviceOf = (version: string) => version.slice(0, version.lastIndexOf(" ") + 1);
