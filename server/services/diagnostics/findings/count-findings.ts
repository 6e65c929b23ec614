import { count, sql } from "drizzle-orm";
import { findings } from "@/db/schema";
import { verb } from "@/server/platform/verb";
import { findingCountReply } from "../schemas";
import { matchingFindings } from "./matching-findings";
import { countFindingsInput } from "./schemas";

/** Lists show how much there is to do; above this, the exact number does not matter. */
const COUNTED = 1000;

export const countFindings = verb(
  {
    name: "findings.count",
    summary: "Count the Findings that match the list's filters.",
    description: `Counting stops at ${COUNTED.toLocaleString("en")}: \`more\` is \`true\` if more match.`,
    effect: "read",
    capability: "diagnostics:read",
    input: countFindingsInput,
    reply: findingCountReply,
  },
  async (ctx, filters) => {
    const matching = ctx.db
      .select({ one: sql`1`.as("one") })
      .from(findings)
      .where(matchingFindings(ctx, filters))
      .limit(COUNTED + 1)
      .as("matching");
    const [row] = await ctx.db.select({ found: count() }).from(matching);
    const found = row?.found ?? 0;
    return { count: Math.min(found, COUNTED), more: found > COUNTED };
  },
);
