import { sql } from "drizzle-orm";
import { z } from "zod";
import { findings } from "@/db/schema";
import { verb } from "@/server/platform/verb";
import { reviewCountReply } from "../schemas";
import { matchingFindings } from "./matching-findings";
import { countFindingsInput, FINDING_QUEUES } from "./schemas";

/** Counts stop here: every open page polls this, and nobody needs to know that there are exactly 2,311. */
const COUNT_MAX = 1000;

export const countForReview = verb(
  {
    name: "findings.reviewCount",
    summary: "Count the Findings that are waiting for review.",
    description: `Those that are unreviewed and not resolved. The count stops at \`countedUpTo\`, ${COUNT_MAX.toLocaleString("en")}.`,
    effect: "read",
    capability: "diagnostics:read",
    input: z.strictObject({}),
    reply: reviewCountReply,
  },
  async (ctx) => {
    const [row] = await ctx.db.execute<{ count: number }>(sql`
      select count(*)::int as count from (
        select 1 from ${findings} where ${matchingFindings(ctx, countFindingsInput.parse(FINDING_QUEUES.review))}
        limit ${COUNT_MAX}) f`);
    return { forReview: row?.count ?? 0, countedUpTo: COUNT_MAX };
  },
);
