import { and, eq, gte, isNull, lt, or, sql } from "drizzle-orm";
import type { z } from "zod";
import { findings, occurrences } from "@/db/schema";
import { newestFirst } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { conversationIdsMatching } from "@/server/services/telemetry";
import { findingsReply, listFindingsInput } from "../schemas";
import { findingJson } from "./finding-json";

export const listFindings = verb(
  {
    name: "findings.list",
    summary: "List Findings, most recently detected first.",
    description:
      "`resolutionStatus` takes one or several values; Findings that are not resolved are `unresolved` or `none`. `lastDetectedAfter` is inclusive, `lastDetectedBefore` exclusive (Unix ms). `conversationId` is our id or the client's own. For a Finding with 1,000 occurrences or more, users, cost, severity and score can be a few minutes old: `recountDueAt` says when they will be recomputed.",
    effect: "read",
    capability: "diagnostics:read",
    input: listFindingsInput,
    reply: findingsReply,
  },
  async (ctx, { limit, cursor, ...filters }) => {
    const list = newestFirst({
      name: "findings",
      filters: { project: ctx.projectId, ...filters },
      time: findings.lastDetectedAt,
      id: findings.id,
      limit,
      cursor,
    });
    const rows = await ctx.db
      .select()
      .from(findings)
      .where(
        and(
          eq(findings.projectId, ctx.projectId),
          filters.reviewStatus && eq(findings.reviewStatus, filters.reviewStatus),
          filters.resolutionStatus && resolvedAs(filters.resolutionStatus),
          filters.severity && eq(findings.severity, filters.severity),
          filters.minDiagnosticScore === undefined
            ? undefined
            : gte(findings.diagnosticScore, filters.minDiagnosticScore),
          filters.lastDetectedAfter === undefined ? undefined : gte(findings.lastDetectedAt, filters.lastDetectedAfter),
          filters.lastDetectedBefore === undefined
            ? undefined
            : lt(findings.lastDetectedAt, filters.lastDetectedBefore),
          filters.ruleId === undefined ? undefined : eq(findings.ruleId, filters.ruleId),
          filters.conversationId === undefined
            ? undefined
            : sql`${findings.id} = any(array(
                select ${occurrences.findingId} from ${occurrences}
                where ${occurrences.projectId} = ${ctx.projectId}
                  and ${occurrences.conversationId} = any(${conversationIdsMatching(ctx.projectId, filters.conversationId)})))`,
          list.after,
        ),
      )
      .orderBy(...list.order)
      .limit(list.fetch);
    const { rows: shown, nextCursor } = list.page(rows, (row) => [row.lastDetectedAt, row.id]);
    return { findings: shown.map(findingJson), pagination: { limit, nextCursor } };
  },
);

type Resolution = NonNullable<z.output<typeof listFindingsInput>["resolutionStatus"]>[number];

const resolvedAs = (wanted: readonly Resolution[]) =>
  or(...wanted.map((one) => (one === "none" ? isNull(findings.resolutionStatus) : eq(findings.resolutionStatus, one))));
