import { and, eq } from "drizzle-orm";
import { NOW } from "@/db/now";
import { findings, occurrences } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { inTransaction } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { changedFindingReply, findingReply, updateFindingInput } from "../schemas";
import { readFinding } from "./get-finding";
import { refreshConversationCounts } from "./refresh-findings";

export const updateFinding = verb(
  {
    name: "findings.update",
    summary: "Review a Finding, or mark it resolved or unresolved.",
    description:
      "`resolutionStatus` is set regardless of the review status. Dismissing clears the resolution, so a body that does both is rejected (400).",
    effect: "write",
    capability: "diagnostics:write",
    input: updateFindingInput,
    reply: findingReply,
    writeOnlyReply: { unless: ["diagnostics:read"], reply: changedFindingReply },
  },
  (ctx, { findingId, reviewStatus, resolutionStatus }) =>
    inTransaction(ctx, async (tx) => {
      const mine = and(eq(findings.projectId, tx.projectId), eq(findings.id, findingId));
      const [before] = await tx.db.select().from(findings).where(mine).for("update");
      if (!before) throw notFound("Finding");

      const review = reviewStatus ?? before.reviewStatus;
      const dismisses = reviewStatus === "dismissed";
      const resolution = dismisses ? null : (resolutionStatus ?? before.resolutionStatus);
      await tx.db
        .update(findings)
        .set({
          reviewStatus: review,
          resolutionStatus: resolution,
          resolvedAt: resolution === "resolved" ? (before.resolvedAt ?? NOW) : null,
          // A regression stays visible until the Finding is resolved or dismissed.
          regressedAt: resolution === "resolved" || dismisses ? null : before.regressedAt,
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
