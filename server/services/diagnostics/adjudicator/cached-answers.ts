import { createHash } from "node:crypto";
import { and, desc, eq, gt, isNotNull, sql } from "drizzle-orm";
import type { z } from "zod";
import { NOW } from "@/db/now";
import { isOneOf } from "@/db/rows";
import { adjudications } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { DEFAULT_CACHE_DAYS } from "./find-adjudicator";
import { PROMPT_VERSION, type Prompt } from "./prompt";

const DAY_MS = 86_400_000;
/** Answers whose mean is what a question takes; with fewer than `MEASURED_MIN` there is none. */
const MEASURED = 200;
const MEASURED_MIN = 10;

/** Tokens by the endpoint's own count. */
export type Tokens = { input: number; output: number };

/** Returns the key of an answer: what is shown, what is asked about it, to which model, by which version of the prompt. */
export const answerKey = (connectionId: string, model: string, about: string, prompt: Prompt): string =>
  createHash("sha256")
    .update(JSON.stringify([PROMPT_VERSION, connectionId, model, about, prompt.system, prompt.user]))
    .digest("hex");

/** Restricts a query to answers young enough to be reused. */
const isFresh = (cacheDays: number) => gt(adjudications.createdAt, sql`${NOW} - ${cacheDays * DAY_MS}::bigint`);

/** Returns a stored answer that is young enough and still has the form asked for. */
export async function cachedAnswer<T>(
  ctx: Ctx,
  key: string,
  cacheDays: number,
  schema: z.ZodType<T>,
): Promise<T | null> {
  const [row] = await ctx.db
    .select({ answer: adjudications.answer })
    .from(adjudications)
    .where(and(eq(adjudications.projectId, ctx.projectId), eq(adjudications.id, key), isFresh(cacheDays)));
  return row ? (schema.safeParse(row.answer).data ?? null) : null;
}

/** Returns how many of these questions need not be asked. */
export const countCached = (ctx: Ctx, keys: readonly string[], cacheDays: number): Promise<number> =>
  ctx.db.$count(
    adjudications,
    and(eq(adjudications.projectId, ctx.projectId), isOneOf(adjudications.id, keys), isFresh(cacheDays)),
  );

type Answered = { conversationId: string; model: string; answer: unknown; tokens: Tokens | null };

/** Stores an answer, instead of an expired one. It is deleted with its conversation, or when it expires. */
export async function cacheAnswer(ctx: Ctx, key: string, { conversationId, model, answer, tokens }: Answered) {
  const row = { answer, model, inputTokens: tokens?.input ?? null, outputTokens: tokens?.output ?? null };
  await ctx.db
    .insert(adjudications)
    .values({ projectId: ctx.projectId, id: key, conversationId, ...row })
    .onConflictDoUpdate({
      target: [adjudications.projectId, adjudications.id],
      set: { ...row, conversationId, createdAt: NOW },
    });
}

/** Deletes answers that the project no longer reuses, at most so many. Returns how many it deleted. */
export async function deleteExpiredAdjudications(ctx: Ctx, most: number): Promise<number> {
  const gone = await ctx.db.execute(sql`
    delete from adjudications a using (
      select o.id from adjudications o
      where o.project_id = ${ctx.projectId} and o.created_at <= ${NOW} - ${DAY_MS}::bigint * coalesce(
        (select s.adjudication_cache_days from diagnostic_settings s where s.project_id = ${ctx.projectId}), ${DEFAULT_CACHE_DAYS})
      order by o.created_at, o.id limit ${most}) expired
    where a.project_id = ${ctx.projectId} and a.id = expired.id returning a.id`);
  return gone.length;
}

/** Returns the mean tokens of a model's latest verdicts in this project; `null` with too few. */
export async function meanTokens({ db, projectId }: Ctx, model: string): Promise<Tokens | null> {
  const latest = db
    .select({ input: adjudications.inputTokens, output: adjudications.outputTokens })
    .from(adjudications)
    .where(
      and(
        eq(adjudications.projectId, projectId),
        eq(adjudications.model, model),
        isNotNull(adjudications.inputTokens),
        sql`${adjudications.answer} ? 'verdict'`,
      ),
    )
    .orderBy(desc(adjudications.createdAt), desc(adjudications.id))
    .limit(MEASURED)
    .as("latest");
  const [row] = await db
    .select({
      n: sql<number>`count(*)::int`,
      input: sql<number>`round(avg(${latest.input}))::int`,
      output: sql<number>`round(avg(${latest.output}))::int`,
    })
    .from(latest);
  return row && row.n >= MEASURED_MIN ? { input: row.input, output: row.output } : null;
}
