import { and, eq, sql } from "drizzle-orm";
import { z } from "zod";
import { evaluationRows } from "@/db/schema";
import { requireCapability } from "@/server/platform/context";
import { codecOf } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { judgementsAbout } from "../judging/judgements";
import { readEvaluation } from "./read-evaluations";
import { type EvaluationRow, evaluationRowsReply, listEvaluationRowsInput, type RowRightness } from "./schemas";
import { reviewsOf } from "./store-answers";
import { effectiveRightness } from "./verdict/summarise";

/** Sorts the worst outcome for the model's users first. */
const RANK = sql<number>`case
  when ${evaluationRows.outcome} = 'loss' then 0 when ${evaluationRows.reason} = 'still_found' then 1
  when ${evaluationRows.outcome} = 'win' then 2 when ${evaluationRows.outcome} = 'tie' then 3 else 4 end`;
/** How much closer to the expected answer the later answer is than the earlier one; negative for a regression. */
const GAIN = sql<number>`
  coalesce((${evaluationRows.after} ->> 'score')::float8, 0) - coalesce((${evaluationRows.before} ->> 'score')::float8, 0)`;

const position = z.tuple([z.int(), z.number(), z.int()]);

export const listEvaluationRows = verb(
  {
    name: "evaluations.rows",
    summary: "List an evaluation's prompts with both answers, worst regressions first.",
    description:
      "`outcome` narrows the list. Rows of a Finding contain text from conversations and also require `diagnostics:read` or `project:data:read`.",
    effect: "read",
    capability: "workspace:read",
    input: listEvaluationRowsInput,
    reply: evaluationRowsReply,
  },
  async (ctx, { evaluationId, outcome, limit, cursor }) => {
    const { kind } = await readEvaluation(ctx, evaluationId);
    if (kind === "finding") requireCapability(ctx, ["diagnostics:read", "project:data:read"]);
    const filters = { project: ctx.projectId, evaluationId, outcome };
    const { encode, decode } = codecOf("evaluation-rows", filters, position);
    const after = cursor === undefined ? undefined : decode(cursor);
    const found = await ctx.db
      .select({ row: evaluationRows, rank: RANK, gain: GAIN })
      .from(evaluationRows)
      .where(
        and(
          eq(evaluationRows.projectId, ctx.projectId),
          eq(evaluationRows.evaluationId, evaluationId),
          outcome === undefined ? undefined : eq(evaluationRows.outcome, outcome),
          after &&
            sql`(${RANK}, ${GAIN}, ${evaluationRows.n}) > (${after[0]}::int, ${after[1]}::float8, ${after[2]}::int)`,
        ),
      )
      .orderBy(RANK, GAIN, evaluationRows.n)
      .limit(limit + 1);
    const shown = found.slice(0, limit);
    const last = shown.at(-1);
    const reviews = await reviewsOf(ctx, evaluationId);
    const judgements = await judgementsAbout(
      ctx,
      evaluationId,
      shown.map(({ row }) => row.n),
    );
    return {
      rows: shown.map(({ row }): EvaluationRow => {
        const rightness = effectiveRightness({
          rightness: row.rightness as RowRightness | null,
          reviews: reviews.get(row.n) ?? [],
        });
        return {
          ...(row as unknown as EvaluationRow),
          rightness: row.after === null ? null : rightness,
          judgements: judgements.get(row.n) ?? [],
        };
      }),
      nextCursor: found.length > limit && last ? encode([last.rank, last.gain, last.row.n]) : null,
    };
  },
);
