import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import {
  createRuleRuns,
  executeRuleRuns,
  getFinding,
  listFindings,
  listOccurrences,
  listRules,
  undoFindingChange,
  updateFindings,
} from "../..";
import { failingToolCall, storedConversation } from "../../testing";
import { recountDueFindings } from "../counts/recount-due-findings";

/** Tools fail in one conversation each, so that each is a Finding of `tool_error`. */
async function failing(ctx: Ctx, tools: number) {
  const said = Array.from({ length: tools }, (_, tool) =>
    failingToolCall(`tool_${String.fromCharCode(97 + tool)}`, "Error: not found"),
  ).flat();
  const { id, lastActivityAt } = await storedConversation(ctx, said);
  const { runs } = await createRuleRuns(ctx, { conversationId: id, lastActivityAt });
  await executeRuleRuns(
    ctx,
    runs.map((run) => run.id),
  );
  const { findings } = await listFindings(ctx, { signal: "tool_error", limit: 100 });
  return findings.map((finding) => finding.id).sort();
}
const signalOf = async (ctx: Ctx) =>
  (await listRules(ctx, {})).rules.flatMap(({ signals }) => signals).find(({ name }) => name === "tool_error")!;
const scoreOf = async (ctx: Ctx, findingId: string) => {
  const { diagnosticScore, diagnosticScoreParts, confidenceBasis } = (await getFinding(ctx, { findingId })).finding;
  return { diagnosticScore, diagnosticScoreParts, confidenceBasis };
};

test("from 20 reviews on, a project's own precision replaces the shipped confidence of the Signal", async () => {
  const [{ ctx }, other] = [await testProject(), await testProject()];
  const ids = await failing(ctx, 22);
  const [elsewhere] = await failing(other.ctx, 1);
  const [last, ...others] = ids;
  const before = await scoreOf(ctx, last!);
  expect(before.confidenceBasis).toMatchObject({ basis: "measured", by: "benchmark" });

  await updateFindings(ctx, { findingIds: others.slice(0, 5), set: { reviewStatus: "confirmed" } });
  await updateFindings(ctx, {
    findingIds: others.slice(5, 18),
    set: { reviewStatus: "dismissed", dismissalReason: "wrong" },
  });
  await updateFindings(ctx, {
    findingIds: [others[20]!],
    set: { reviewStatus: "dismissed", dismissalReason: "expected" },
  });
  expect(await scoreOf(ctx, last!)).toEqual(before);
  expect(await signalOf(ctx)).toMatchObject({ reviewedPrecision: { n: 18 }, confidence: { by: "benchmark" } });

  const { change } = await updateFindings(ctx, {
    findingIds: others.slice(18, 20),
    set: { reviewStatus: "dismissed" },
  });
  const measured = { basis: "measured", by: "reviews", n: 20 };
  const after = await scoreOf(ctx, last!);
  expect(after.confidenceBasis).toEqual({
    ...measured,
    interval: { low: expect.closeTo(0.112), high: expect.closeTo(0.469) },
  });
  expect(after.diagnosticScoreParts).toEqual({ ...before.diagnosticScoreParts, confidence: 0.25 });
  const { severity, confidence, spread } = after.diagnosticScoreParts;
  expect(after.diagnosticScore).toBe(severity * confidence * spread);
  expect(await signalOf(ctx)).toMatchObject({
    confirmedFindings: 5,
    wrongFindings: 15,
    confidence: { value: 0.25, ...measured },
  });
  expect(await scoreOf(other.ctx, elsewhere!)).toMatchObject({ confidenceBasis: { by: "benchmark" } });

  await undoFindingChange(ctx, { changeId: change.id });
  await recountDueFindings(ctx.db);
  expect(await scoreOf(ctx, last!)).toMatchObject({
    diagnosticScoreParts: { confidence: before.diagnosticScoreParts.confidence },
    confidenceBasis: { by: "benchmark" },
  });
});

test("an occurrence says what its confidence rests on and what its conversation cost", async () => {
  const { ctx } = await testProject();
  const [findingId] = await failing(ctx, 1);
  const { occurrences } = await listOccurrences(ctx, { findingId: findingId! });
  expect(occurrences).toMatchObject([
    { confidenceBasis: { basis: "measured", by: "benchmark", n: 146 }, conversationCost: null },
  ]);
});
