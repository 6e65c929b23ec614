import { sql } from "drizzle-orm";
import { conversations } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { COUNTED } from "./conversation-facets";
import { matchingConversations, THUMBS_DOWN_IN_FEEDBACK } from "./list-conversations";
import type { ConversationsSummary } from "./schemas";

type Range = { from: number; to: number };
type Row = {
  n: number;
  seen: number;
  with_findings: number;
  with_errors: number;
  with_feedback: number;
  with_thumbs_down: number;
};

/** Counts conversations of several ranges as the facets of the list do, in one statement. */
export async function summariseConversations(ctx: Ctx, ranges: readonly Range[]): Promise<ConversationsSummary[]> {
  const each = ranges.map(
    ({ from, to }, n) => sql`
      select ${n}::int as n, count(*)::int as seen, count(*) filter (where finding_count > 0)::int as with_findings,
        count(*) filter (where error_count > 0)::int as with_errors, count(thumbs_down)::int as with_feedback,
        count(*) filter (where thumbs_down)::int as with_thumbs_down
      from (
        select finding_count, error_count, ${THUMBS_DOWN_IN_FEEDBACK} as thumbs_down from ${conversations}
        where ${matchingConversations(
          ctx,
          { startedAfter: from, startedBefore: to },
          { position: undefined, limit: COUNTED + 1 },
        )}
        order by started_at desc, id desc limit ${COUNTED + 1}
      ) newest`,
  );
  const rows = await ctx.db.execute<Row>(sql.join(each, sql` union all `));
  return ranges.map((range, n) => {
    const found = rows.find((row) => row.n === n);
    return {
      ...range,
      conversations: Math.min(found?.seen ?? 0, COUNTED),
      sampled: (found?.seen ?? 0) > COUNTED,
      withFindings: found?.with_findings ?? 0,
      withErrors: found?.with_errors ?? 0,
      withFeedback: found?.with_feedback ?? 0,
      withThumbsDown: found?.with_thumbs_down ?? 0,
    };
  });
}
