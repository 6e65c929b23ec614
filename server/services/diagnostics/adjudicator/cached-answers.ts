import { createHash } from "node:crypto";
import { and, desc, eq, gt, isNotNull, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { isOneOf } from "@/db/rows";
import { adjudications } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { DEFAULT_CACHE_DAYS } from "./find-adjudicator";
import { PROMPT_VERSION, type Prompt } from "./prompt";

/** Number of latest answers averaged to measure a question's tokens; with fewer than `MEASURED_MIN` there is no mean. */
const MEASURED = 200;
const MEASURED_MIN = 10;

/** Tokens as counted by the endpoint. */
export type Tokens = { input: number; output: number };

/** Returns a cache key made of what is shown, what is asked about it, the model, and the version of the prompt. */
export const answerKey = (connectionId: string, model: string, subject: string, prompt: Prompt): string =>
  createHash("sha256")
    .update(JSON.stringify([PROMPT_VERSION, connectionId, model, subject, prompt.system, prompt.user]))
    .digest("hex");

/** Restricts a query to answers young enough to be reused. */
const isFresh = (cacheDays: number) => gt(adjudications.createdAt, sql`${NOW} - ${cacheDays * DAY_MS}::bigint`);

/** `reply`: what the model said, of which `answer` is the part in the required form. */
export type NewAnswer = { model: string; answer: unknown; reply: string; tokens: Tokens | null };
export type AnswerCache = {
  /** Returns an answer that may be reused; `null` if there is none. */
  find: (key: string) => Promise<unknown>;
  store: (key: string, answered: NewAnswer) => Promise<void>;
};

/** Returns the cache of answers about a conversation, which are deleted with it. */
export const conversationCache = (ctx: Ctx, conversationId: string, cacheDays: number): AnswerCache => ({
  async find(key) {
    const [row] = await ctx.db
      .select({ answer: adjudications.answer })
      .from(adjudications)
      .where(and(eq(adjudications.projectId, ctx.projectId), eq(adjudications.id, key), isFresh(cacheDays)));
    return row?.answer ?? null;
  },
  store: (key, answered) => cacheAnswer(ctx, key, { conversationId, ...answered }),
});

/** Returns how many of these questions have a reusable answer. */
export const countCached = (ctx: Ctx, keys: readonly string[], cacheDays: number): Promise<number> =>
  ctx.db.$count(
    adjudications,
    and(eq(adjudications.projectId, ctx.projectId), isOneOf(adjudications.id, keys), isFresh(cacheDays)),
  );

type Answered = Omit<NewAnswer, "reply"> & { conversationId: string };

/** Stores an answer, replacing an expired one. It is deleted with its conversation or when it expires. */
async function cacheAnswer(ctx: Ctx, key: string, { conversationId, model, answer, tokens }: Answered) {
  const row = { answer, model, inputTokens: tokens?.input ?? null, outputTokens: tokens?.output ?? null };
  await ctx.db
    .insert(adjudications)
    .values({ projectId: ctx.projectId, id: key, conversationId, ...row })
    .onConflictDoUpdate({
      target: [adjudications.projectId, adjudications.id],
      set: { ...row, conversationId, createdAt: NOW },
    });
}

/** Deletes up to `most` answers that are too old for the project to reuse. Returns how many it deleted. */
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

/** Returns the mean tokens of a model's latest verdicts in this project; `null` if there are too few. */
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
