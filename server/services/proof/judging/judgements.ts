import { and, desc, eq, gt, gte, inArray, isNotNull, sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { isOneOf } from "@/db/rows";
import { evaluationJudgements } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import type { Tokens } from "@/server/services/diagnostics/adjudicator";
import { JUDGE_PROMPT_VERSION } from "./prompts";
import type { Question } from "./questions";

const { projectId: PROJECT, evaluationId: EVALUATION, key: KEY, createdAt: CREATED } = evaluationJudgements;

/** Characters of a reply that are stored: more is reasoning without an end. */
const REPLY_CHARACTERS = 20_000;
/** Number of latest judgements averaged to measure a question's tokens; with fewer than `MEASURED_MIN` there is no mean. */
const MEASURED = 200;
const MEASURED_MIN = 10;

/** Returns what was said about the rows of an evaluation. */
export const judgementsOf = ({ db, projectId }: Ctx, evaluationId: string) =>
  db
    .select()
    .from(evaluationJudgements)
    .where(and(eq(PROJECT, projectId), eq(EVALUATION, evaluationId)))
    .orderBy(evaluationJudgements.n, evaluationJudgements.question);

export type StoredJudgement = Awaited<ReturnType<typeof judgementsOf>>[number];

type Said = Pick<StoredJudgement, "model" | "verdict" | "reason" | "reply" | "error" | "inputTokens" | "outputTokens">;

/** Stores one answer for all questions that it answers; only the first of them was sent. */
export async function storeJudgement(
  { db, projectId }: Ctx,
  evaluationId: string,
  questions: readonly Question[],
  said: Said,
  isReused: boolean,
): Promise<void> {
  // A row that was deleted in the meantime is no longer judged.
  const rows = questions.map(({ n, question, key }, at) => ({ n, question, key, is_reused: isReused || at > 0 }));
  const reply = said.reply?.slice(0, REPLY_CHARACTERS) ?? null;
  await db.execute(sql`
    insert into evaluation_judgements (project_id, evaluation_id, n, question, key, model, prompt_version, verdict, reason,
      reply, error, is_reused, input_tokens, output_tokens)
    select r.project_id, r.evaluation_id, r.n, t.question, t.key, ${said.model}, ${JUDGE_PROMPT_VERSION}::int,
      ${said.verdict}::text, ${said.reason}::text, ${reply}::text, ${said.error}::text, t.is_reused,
      ${said.inputTokens}::int, ${said.outputTokens}::int
    from jsonb_to_recordset(${JSON.stringify(rows)}::text::jsonb) as t(n int, question text, key text, is_reused boolean)
    join evaluation_rows r on r.project_id = ${projectId} and r.evaluation_id = ${evaluationId} and r.n = t.n
    on conflict (project_id, evaluation_id, n, question) do update set key = excluded.key, model = excluded.model,
      prompt_version = excluded.prompt_version, verdict = excluded.verdict, reason = excluded.reason,
      reply = excluded.reply, error = excluded.error, is_reused = excluded.is_reused,
      input_tokens = excluded.input_tokens, output_tokens = excluded.output_tokens, created_at = ${NOW}`);
}

/** Returns answers in any evaluation to questions with these keys, young enough to be reused, by key. */
export async function reusable(
  { db, projectId }: Ctx,
  keys: readonly string[],
  cacheDays: number,
): Promise<Map<string, StoredJudgement>> {
  if (keys.length === 0) return new Map();
  const found = await db
    .select()
    .from(evaluationJudgements)
    .where(
      and(
        eq(PROJECT, projectId),
        isOneOf(KEY, keys),
        isNotNull(evaluationJudgements.verdict),
        gt(CREATED, sql`${NOW} - ${cacheDays * DAY_MS}::bigint`),
      ),
    )
    .orderBy(CREATED);
  return new Map(found.map((one) => [one.key, one]));
}

/** Deletes what a model could not say, so that it is asked again, and what another model or prompt said. */
export async function deleteUnusable({ db, projectId }: Ctx, evaluationId: string, model: string): Promise<void> {
  await db.delete(evaluationJudgements).where(
    and(
      eq(PROJECT, projectId),
      eq(EVALUATION, evaluationId),
      sql`(${evaluationJudgements.verdict} is null or ${evaluationJudgements.model} <> ${model}
          or ${evaluationJudgements.promptVersion} <> ${JUDGE_PROMPT_VERSION})`,
    ),
  );
}

/** Returns how many questions of these were sent since a time: those that were not copied from others. */
export const sentSince = ({ db, projectId }: Ctx, evaluationId: string, since: number): Promise<number> =>
  db.$count(
    evaluationJudgements,
    and(
      eq(PROJECT, projectId),
      eq(EVALUATION, evaluationId),
      eq(evaluationJudgements.isReused, false),
      gte(CREATED, since),
    ),
  );

/** Returns the mean tokens of a model's latest judgements in this project; `null` if there are too few. */
export async function meanTokens({ db, projectId }: Ctx, model: string): Promise<Tokens | null> {
  const { inputTokens, outputTokens } = evaluationJudgements;
  const latest = await db
    .select({ input: inputTokens, output: outputTokens })
    .from(evaluationJudgements)
    .where(
      and(
        eq(PROJECT, projectId),
        eq(evaluationJudgements.model, model),
        eq(evaluationJudgements.isReused, false),
        isNotNull(inputTokens),
      ),
    )
    .orderBy(desc(CREATED))
    .limit(MEASURED);
  if (latest.length < MEASURED_MIN) return null;
  const mean = (of: "input" | "output") =>
    Math.round(latest.reduce((sum, one) => sum + (one[of] ?? 0), 0) / latest.length);
  return { input: mean("input"), output: mean("output") };
}

/** Returns what was said about some rows of an evaluation, by row. */
export async function judgementsAbout(ctx: Ctx, evaluationId: string, ns: readonly number[]) {
  if (ns.length === 0) return new Map<number, StoredJudgement[]>();
  const found = await ctx.db
    .select()
    .from(evaluationJudgements)
    .where(and(eq(PROJECT, ctx.projectId), eq(EVALUATION, evaluationId), inArray(evaluationJudgements.n, [...ns])))
    .orderBy(evaluationJudgements.n, evaluationJudgements.question);
  return Map.groupBy(found, ({ n }) => n);
}
