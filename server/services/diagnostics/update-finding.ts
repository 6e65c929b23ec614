import { and, eq } from "drizzle-orm";
import { NOW } from "@/db/now";
import { findings, occurrences } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { inTransaction } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { readFinding } from "./get-finding";
import { refreshConversationCounts } from "./refresh-findings";
import { findingReply, updateFindingInput } from "./schemas";

export const updateFinding = verb(
  {
    name: "findings.update",
    summary: "Review a Finding, or mark it resolved or unresolved.",
    description: "Dismissing clears the resolution in the same step. A dismissed Finding cannot be resolved (409).",
    effect: "write",
    capability: "diagnostics:write",
    input: updateFindingInput,
    reply: findingReply,
  },
  (ctx, { findingId, reviewStatus, resolutionStatus }) =>
    inTransaction(ctx, async (tx) => {
      const mine = and(eq(findings.projectId, tx.projectId), eq(findings.id, findingId));
      const [before] = await tx.db.select().from(findings).where(mine).for("update");
      if (!before) throw notFound("Finding");

      const review = reviewStatus ?? before.reviewStatus;
      if (review === "dismissed" && resolutionStatus !== undefined) {
        throw new ServiceError("conflict", "The Finding is dismissed: review it again before setting a resolution.");
      }
      const resolution = review === "dismissed" ? null : (resolutionStatus ?? before.resolutionStatus);
      await tx.db
        .update(findings)
        .set({
          reviewStatus: review,
          resolutionStatus: resolution,
          resolvedAt: resolution === "resolved" ? (before.resolvedAt ?? NOW) : null,
          // Resolving answers a regression; until then it stays in sight.
          regressedAt: resolution === "resolved" || review === "dismissed" ? null : before.regressedAt,
          updatedAt: NOW,
        })
        .where(mine);

      if ((review === "dismissed") !== (before.reviewStatus === "dismissed")) {
        const shown = await tx.db
          .select({ id: occurrences.conversationId })
          .from(occurrences)
          .where(and(eq(occurrences.projectId, tx.projectId), eq(occurrences.findingId, findingId)));
        await refreshConversationCounts(
          tx,
          shown.map((row) => row.id),
        );
      }
      auditNote(tx, {
        target: { type: "finding", id: findingId },
        before: { reviewStatus: before.reviewStatus, resolutionStatus: before.resolutionStatus },
        after: { reviewStatus: review, resolutionStatus: resolution },
      });
      return { finding: await readFinding(tx, findingId) };
    }),
);
