import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { textArray } from "@/db/rows";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";
import { failedTool } from "../../work-items/testing";
import { findingTraits } from "./traits";

const NOW = Date.now();

/** Stores conversations that the Rule has checked without finding anything. */
async function checked(ctx: Ctx, count: number, { model = "gpt-4o", startedAt = NOW - 60_000, name = "other" } = {}) {
  await ctx.db.execute(sql`
    insert into conversations (project_id, id, key, models, user_id, started_at, last_activity_at, received_at)
    select ${ctx.projectId}, ${name} || n, ${name} || n, array[${model}::text], 'user-' || n, ${startedAt}::bigint - n,
      ${startedAt}::bigint, ${startedAt}::bigint
    from generate_series(1, ${count}::int) n`);
  await ctx.db.execute(sql`
    insert into rule_runs (project_id, id, rule_id, rule_version, conversation_id, last_activity_at, origin, status, result_count)
    select project_id, 'rr' || id, 'tool-failure', 1, id, last_activity_at, 'automatic', 'completed', 0
    from conversations where project_id = ${ctx.projectId} and starts_with(id, ${name})`);
}

async function failing(ctx: Ctx, count: number, set: { model?: string; label?: string } = {}) {
  const { model = "gpt-4.1-nano", label } = set;
  let findingId = "";
  for (let n = 0; n < count; n++) {
    const failed = await failedTool(ctx, { startedAt: NOW - 30_000 + n });
    findingId = failed.findingId;
    await ctx.db.execute(sql`
      update conversations set models = array[${model}::text], labels = ${textArray(label === undefined ? [] : [label])}
      where project_id = ${ctx.projectId} and id = ${failed.conversationId}`);
  }
  return findingId;
}

test("a model that the affected conversations have and few checked others is in common", async () => {
  const [{ ctx }, other] = [await testProject(), await testProject()];
  await checked(ctx, 40);
  await checked(ctx, 4, { model: "gpt-4.1-nano", name: "healthy" });
  // Not compared: another project's, one that no Rule read, and those of a month before.
  await checked(other.ctx, 50, { model: "gpt-4.1-nano" });
  await checked(ctx, 30, { model: "gpt-4.1-nano", startedAt: NOW - 40 * 86_400_000, name: "before" });
  await ctx.db.execute(sql`
    insert into conversations (project_id, id, key, models, started_at, last_activity_at, received_at)
    values (${ctx.projectId}, 'unread', 'unread', array['gpt-4.1-nano'], ${NOW - 60_000}::bigint, ${NOW}::bigint, ${NOW}::bigint)`);
  const findingId = await failing(ctx, 6);

  const { traits } = await findingTraits(ctx, { findingId });
  expect(traits).toMatchObject({ affected: 6, others: 44, sampled: false });
  expect(traits.inCommon).toMatchObject([
    // The others name a user, each their own.
    { dimension: "user", value: null, affected: { affected: 6 }, others: { affected: 0 } },
    {
      dimension: "model",
      value: "gpt-4.1-nano",
      affected: { affected: 6, conversations: 6 },
      others: { affected: 4, conversations: 44 },
    },
  ]);
  await expect(findingTraits(other.ctx, { findingId })).rejects.toMatchObject({ code: "not_found" });
});

test("what is as frequent elsewhere is weaker or not named, and the tool that fails is no trait of its own failure", async () => {
  const { ctx } = await testProject();
  await checked(ctx, 40, { model: "gpt-4.1-nano" });
  const findingId = await failing(ctx, 3, { label: "get_order" });
  const { traits } = await findingTraits(ctx, { findingId });
  const named = [...traits.inCommon, ...traits.weaker].map(({ dimension, value }) => `${dimension} ${value}`);
  expect(named).not.toContain("model gpt-4.1-nano");
  // A label with the name of the failing tool: its dimension is the cause.
  expect(named).not.toContain("label get_order");
});

test("versions, providers and tools are read from the telemetry of the compared conversations", async () => {
  const { ctx } = await testProject();
  const hex = (n: number, length: number) => n.toString(16).padStart(length, "0");
  const sent = (from: number, count: number, provider: string, tool: string) =>
    Array.from({ length: count }, (_, n) => {
      const [traceId, startMs] = [hex(from + n, 32), NOW - 60_000 + n];
      const attributes = { "gen_ai.provider.name": provider };
      return [
        chatSpan({ traceId, spanId: hex(1, 16), startMs, attributes }),
        {
          traceId,
          spanId: hex(2, 16),
          startMs,
          name: `execute_tool ${tool}`,
          attributes: { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": tool },
        },
      ];
    }).flat();
  await ingest(ctx, sent(1, 6, "azure.ai.openai", "search"), "2.4.0");
  await ingest(ctx, sent(101, 30, "openai", "lookup"), "2.3.0");
  await ctx.db.execute(sql`
    insert into rule_runs (project_id, id, rule_id, rule_version, conversation_id, last_activity_at, origin, status, result_count)
    select project_id, 'rr' || id, 'tool-failure', 1, id, last_activity_at, 'automatic', 'completed', 0
    from conversations where project_id = ${ctx.projectId}`);
  const { findingId } = await failedTool(ctx, { startedAt: NOW - 59_000 });
  await ctx.db.execute(sql`
    insert into occurrences (project_id, id, finding_id, conversation_id, score, confidence, severity, title, summary, evidence,
      cause_ids, detected_at, updated_at)
    select project_id, 'occ' || id, ${findingId}, id, 1, 1, 'high', '', '', '[]', '{}', last_activity_at, 0
    from conversations
    where project_id = ${ctx.projectId} and trace_ids && ${textArray(Array.from({ length: 6 }, (_, n) => hex(1 + n, 32)))}`);
  const { traits } = await findingTraits(ctx, { findingId });
  expect(traits).toMatchObject({ affected: 7, others: 30 });
  const named = traits.inCommon.map(({ dimension, value, affected, others }) => [
    `${dimension} ${value}`,
    affected.affected,
    others.affected,
  ]);
  expect(named).toContainEqual(["version shop 2.4.0", 6, 0]);
  expect(named).toContainEqual(["tool search", 6, 0]);
  expect(named.some(([name]) => String(name).startsWith("provider azure"))).toBe(true);
});
