import { and } from "drizzle-orm";
import { findings } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { findingsReply } from "../schemas";
import { findingsJson } from "./finding-json";
import { matchingFindings } from "./matching-findings";
import { listFindingsInput } from "./schemas";

/** Each is the first column of an index. */
const SORTS = {
  newest: { column: findings.lastDetectedAt, of: (row: typeof findings.$inferSelect) => row.lastDetectedAt },
  score: { column: findings.diagnosticScore, of: (row: typeof findings.$inferSelect) => row.diagnosticScore },
  conversations: { column: findings.occurrenceCount, of: (row: typeof findings.$inferSelect) => row.occurrenceCount },
  first_seen: { column: findings.firstDetectedAt, of: (row: typeof findings.$inferSelect) => row.firstDetectedAt },
};

export const listFindings = verb(
  {
    name: "findings.list",
    summary: "List Findings, by default most recently detected first.",
    description:
      "`resolutionStatus` takes one or more values; Findings that are not resolved are `unresolved` or `none`. `lastDetectedAfter` is inclusive, `lastDetectedBefore` exclusive (Unix ms). `conversationId` is Whetstone's id or the client's own. Every sort is descending. `recentDays` are the conversations of the last 14 days (UTC), the current one last. For a Finding with 250 occurrences or more, users, cost, severity and score can be a few minutes old: `recountDueAt` says when they will be recomputed.",
    effect: "read",
    capability: "diagnostics:read",
    input: listFindingsInput,
    reply: findingsReply,
  },
  async (ctx, { limit, cursor, sort, ...filters }) => {
    const { column, of } = SORTS[sort];
    const list = newestFirst({
      name: "findings",
      filters: { project: ctx.projectId, ...filters, ...(sort === "newest" ? {} : { sort }) },
      time: column,
      id: findings.id,
      limit,
      cursor,
    });
    const rows = await ctx.db
      .select()
      .from(findings)
      .where(and(matchingFindings(ctx, filters), list.after))
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows: shown, nextCursor } = list.page(rows, (row) => [of(row), row.id]);
    return { findings: await findingsJson(ctx, shown), pagination: { limit, nextCursor } };
  },
);
