import { sql } from "drizzle-orm";
import { verb } from "@/server/platform/verb";
import { requireFinding } from "../merged-with";
import { causesReply, listCausesInput } from "../schemas";

const CAUSES_MAX = 200;

type Row = { id: string; signal: string; cause: string | null; occurrence_count: number; pinned: boolean; all: number };

export const listFindingCauses = verb(
  {
    name: "findings.causes",
    summary: "List the causes that a Finding groups, and the Findings merged into it.",
    description: `The ${CAUSES_MAX} most frequent causes; \`causeCount\` counts all of them. A cause that was placed by hand is \`pinned\`.`,
    effect: "read",
    capability: "diagnostics:read",
    input: listCausesInput,
    reply: causesReply,
  },
  async (ctx, { findingId }) => {
    await requireFinding(ctx, findingId);
    const causes = await ctx.db.execute<Row>(sql`
      select id, signal, cause, occurrence_count, pinned, count(*) over ()::int as all from finding_causes
      where project_id = ${ctx.projectId} and finding_id = ${findingId}
      order by occurrence_count desc, id limit ${CAUSES_MAX}`);
    const merged = await ctx.db.execute<{ id: string; title: string; change_id: string | null }>(sql`
      select f.id, f.title, e.change_id from findings f
      left join lateral (
        select change_id from finding_events e
        where e.project_id = f.project_id and e.finding_id = f.id and e.kind = 'merged'
        order by e.at desc, e.id desc limit 1
      ) e on true
      where f.project_id = ${ctx.projectId} and f.merged_into_id = ${findingId} order by f.id limit ${CAUSES_MAX}`);
    return {
      causes: causes.map(({ occurrence_count: occurrenceCount, all: _, ...cause }) => ({ ...cause, occurrenceCount })),
      causeCount: causes[0]?.all ?? 0,
      merged: merged.map(({ id, title, change_id: changeId }) => ({ id, title, changeId })),
    };
  },
);
