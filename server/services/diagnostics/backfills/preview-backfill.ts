import { and, desc, eq, isNotNull, sql } from "drizzle-orm";
import { backfills } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { verb } from "@/server/platform/verb";
import type { ConfiguredRule } from "../settings/rule-settings";
import { backfillRule } from "./backfill-rule";
import { previewAdjudication } from "./preview-adjudication";
import { countInWindow, newestInWindow } from "./scan-conversations";
import { type BackfillWindow, backfillPreviewReply, previewBackfillInput } from "./schemas";

/** Bounds a preview to about what a person is willing to wait for. */
const EXAMINED_MAX = 50_000;
/** Conversations that are read to estimate what adjudicating costs. */
const SAMPLE = 100;
/** Conversations per second of `npm run bench -- backfill` on two cores, for a project without a measured backfill. */
const BENCHMARK_RATE = 600;

export const previewBackfill = verb(
  {
    name: "backfills.preview",
    summary: "Preview a backfill: conversations, Runs, repetitions, and how long it would take.",
    description: `The number of conversations is exact; what would be run and repeated is examined for the newest ${EXAMINED_MAX.toLocaleString("en")}, and \`complete\` is \`false\` if there are more. \`adjudicationCost\` is estimated from up to ${SAMPLE} of these conversations, which the Rule's detectors read; \`adjudication.reason\` says why it is \`null\`.`,
    effect: "read",
    capability: "diagnostics:read",
    input: previewBackfillInput,
    reply: backfillPreviewReply,
  },
  async (ctx, input) => {
    const { configured, window } = await backfillRule(ctx, input);
    const conversations = await countInWindow(ctx, window);
    const { examined, alreadyRead, repeats, sample } = await examine(ctx, configured, window);
    const runs = examined - alreadyRead;
    const measured = await measuredRate(ctx, configured.rule.id);
    const rate = measured ?? BENCHMARK_RATE;
    const expected = examined === 0 ? 0 : conversations * (runs / examined);
    const options = { configured, sample, expected };
    const { cost, adjudication } = await previewAdjudication(ctx, options);
    return {
      preview: {
        conversations,
        complete: examined >= conversations,
        runs,
        alreadyRead,
        repeats,
        redoesEverything: runs > 0 && repeats === runs,
        rate,
        rateFrom: measured === null ? ("benchmark" as const) : ("project" as const),
        expectedMs: Math.round((expected / rate) * 1000),
        adjudicationCost: cost,
        adjudication,
      },
    };
  },
);

type Examined = {
  examined: number;
  alreadyRead: number;
  repeats: number;
  /** A pseudo-random but stable sample of the conversations that would be read. */
  sample: { id: string; lastActivityAt: number }[];
};

async function examine(ctx: Ctx, { rule, revision }: ConfiguredRule, window: BackfillWindow): Promise<Examined> {
  const ofRule = sql`r.project_id = c.project_id and r.conversation_id = c.id and r.rule_id = ${rule.id}`;
  const [row] = await ctx.db.execute<Examined>(sql`
    with e as materialized (
      select c.id, c.last_activity_at, exists (
          select 1 from rule_runs r
          where ${ofRule} and r.rule_version = ${rule.version} and r.configuration_revision = ${revision}
            and r.last_activity_at = c.last_activity_at and r.traces_key = '' and r.status not in ('skipped', 'failed')) as same,
        exists (select 1 from rule_runs r where ${ofRule} and r.status = 'completed') as earlier
      from (${newestInWindow(ctx, window, EXAMINED_MAX)}) c
    )
    select count(*)::int as examined, count(*) filter (where same)::int as "alreadyRead",
      count(*) filter (where not same and earlier)::int as repeats,
      (select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'lastActivityAt', s.last_activity_at)), '[]') from (
        select id, last_activity_at from e where not same order by md5(id) limit ${SAMPLE}) s) as sample
    from e`);
  return row ?? { examined: 0, alreadyRead: 0, repeats: 0, sample: [] };
}

/** Returns the rate of the project's latest measured backfill, of this Rule if there is one. */
async function measuredRate({ db, projectId }: Ctx, ruleId: string): Promise<number | null> {
  const [latest] = await db
    .select({ rate: backfills.rate })
    .from(backfills)
    .where(and(eq(backfills.projectId, projectId), isNotNull(backfills.rate), sql`${backfills.rate} > 0`))
    .orderBy(sql`${backfills.ruleId} = ${ruleId} desc`, desc(backfills.createdAt), desc(backfills.id))
    .limit(1);
  return latest?.rate ?? null;
}
