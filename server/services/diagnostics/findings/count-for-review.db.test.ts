import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import { countFindings, countForReview, createRuleRuns, executeRuleRuns, listFindings, updateFinding } from "..";
import { failingToolCall, storedConversation } from "../testing";

test("a Finding waits for a review until it is reviewed or resolved, in its own project only", async () => {
  const { ctx } = await testProject();
  const other = await testProject();
  for (const tool of ["get_order", "book_room"]) {
    const { id, lastActivityAt } = await storedConversation(ctx, failingToolCall(tool, "Error: not found"));
    const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
    await executeRuleRuns(
      ctx,
      runs.map((run) => run.id),
    );
  }
  const { findings } = await listFindings(ctx, {});
  expect(findings.length).toBeGreaterThan(1);
  expect(await countForReview(ctx, {})).toEqual({ forReview: findings.length, countedUpTo: 1000 });
  await updateFinding(ctx, { findingId: findings[0]!.id, reviewStatus: "confirmed" });
  await updateFinding(ctx, { findingId: findings[1]!.id, resolutionStatus: "resolved" });
  expect((await countForReview(ctx, {})).forReview).toBe(findings.length - 2);
  expect((await countForReview(other.ctx, {})).forReview).toBe(0);

  // The count equals the length of the list.
  for (const filters of [{}, { reviewStatus: ["confirmed" as const] }, { q: "book_room" }, { assignee: "none" }]) {
    const listed = (await listFindings(ctx, filters)).findings.length;
    expect(await countFindings(ctx, filters)).toEqual({ count: listed, more: false });
    expect(await countFindings(other.ctx, filters)).toEqual({ count: 0, more: false });
  }
});
