import { and, eq } from "drizzle-orm";
import { findings, fixes } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { findingOfFix, fixColumns, fixJson, readFix } from "./fix-rows";
import { fixesReply, fixIdInput, fixReply, listFixesInput } from "./schemas";

export const listFixes = verb(
  {
    name: "fixes.list",
    summary: "List the fixes that went out against Findings, and what conversations since show about them.",
    description:
      "Newest first. Each is measured in the background for 56 days, as `findings.timeline` describes; `avoided` is the difference of the rates times the conversations since.",
    effect: "read",
    capability: "diagnostics:read",
    input: listFixesInput,
    reply: fixesReply,
  },
  async (ctx, { findingId, limit, cursor }) => {
    const { projectId } = ctx;
    const { createdAt: time, id } = fixes;
    const list = newestFirst({ name: "fixes", filters: { project: projectId, findingId }, time, id, limit, cursor });
    const found = await ctx.db
      .select(fixColumns)
      .from(fixes)
      .innerJoin(findings, findingOfFix)
      .where(
        and(
          eq(fixes.projectId, projectId),
          findingId === undefined ? undefined : eq(fixes.findingId, findingId),
          list.after,
        ),
      )
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows, nextCursor } = list.page(found, ({ row }) => [row.createdAt, row.id]);
    return { fixes: rows.map((one) => fixJson(ctx, one)), nextCursor };
  },
);

export const getFix = verb(
  {
    name: "fixes.get",
    summary: "Read one fix and its last comparison.",
    description: "`measured` is what the background measured last, at `measuredAt`.",
    effect: "read",
    capability: "diagnostics:read",
    input: fixIdInput,
    reply: fixReply,
  },
  async (ctx, { fixId }) => ({ fix: fixJson(ctx, await readFix(ctx, fixId)) }),
);
