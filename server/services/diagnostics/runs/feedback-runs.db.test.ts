import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createFeedback, findConversation } from "@/server/services/telemetry";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";
import { createRuleRuns, executeRuleRuns, listFindings, listOccurrences } from "..";

const START = Date.UTC(2026, 10, 1, 12);
const [TRACE, SPAN] = ["a".repeat(32), "b".repeat(16)];

async function diagnose(ctx: Ctx, lastActivityAt?: number) {
  const conversation = await findConversation(ctx, "chat-1");
  const asked = { conversationId: "chat-1", lastActivityAt: lastActivityAt ?? conversation.lastActivityAt };
  const { runs } = await createRuleRuns(ctx, asked);
  await executeRuleRuns(
    ctx,
    runs.map(({ id }) => id),
  );
  const { findings } = await listFindings(ctx, { conversationId: "chat-1" });
  return findings.filter(({ ruleId }) => ruleId.startsWith("user-"));
}

test("feedback given after a Run is read at its turn by the next Run, and a changed thumb removes the Finding", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [
    chatSpan(
      { traceId: TRACE, spanId: SPAN, startMs: START, attributes: { "gen_ai.conversation.id": "chat-1" } },
      { input: [["user", "When does order 4821 arrive?"]], output: "It arrives on Monday." },
    ),
  ]);
  expect(await diagnose(ctx)).toEqual([]);

  const turn = { conversationId: "chat-1", traceId: TRACE, spanId: SPAN };
  await createFeedback(ctx, { ...turn, kind: "thumb", value: "down" });
  await createFeedback(ctx, { ...turn, kind: "correction", value: "It arrives on Tuesday." });
  const findings = await diagnose(ctx);
  expect(findings.map(({ signal }) => signal).sort()).toEqual(["explicit_correction", "negative_feedback"]);
  for (const { id } of findings) {
    const { occurrences } = await listOccurrences(ctx, { findingId: id });
    expect(occurrences[0]!.evidence).toMatchObject([{ messageIndex: 1, quote: "It arrives on Monday." }]);
  }

  await createFeedback(ctx, { ...turn, kind: "thumb", value: "up" });
  expect((await diagnose(ctx)).map(({ signal }) => signal)).toEqual(["explicit_correction"]);
});
