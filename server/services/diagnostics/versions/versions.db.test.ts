import { sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { textArray } from "@/db/rows";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { countConversations, listConversations } from "@/server/services/telemetry";
import { failedTool } from "../work-items/testing";
import { compareVersions } from "./compare-versions";
import { listVersions } from "./list-versions";

const NOW = Date.UTC(2026, 0, 20);
const [OLD, NEW] = ["shop 2.4.0", "shop 2.5.0"];

type Stored = { versions: string[]; startedAt?: number; model?: string; cost?: number; failed?: boolean };

/** Stores conversations that the Rule has read without finding anything. */
async function stored(ctx: Ctx, name: string, count: number, of: Stored, revision = 1) {
  const { versions, startedAt = NOW, model = "gpt-4o", cost = 0.02, failed = false } = of;
  const traits = textArray(versions.map((version) => `version:${version}`));
  await ctx.db.execute(sql`
    insert into conversations (project_id, id, key, models, traits, started_at, last_activity_at, received_at, cost, error_count)
    select ${ctx.projectId}, ${name} || n, ${name} || n, array[${model}::text], ${traits}, ${startedAt}::bigint - n, ${startedAt}::bigint,
      ${startedAt}::bigint, ${cost}::numeric + n * 0.0001, ${failed ? 1 : 0}::int
    from generate_series(1, ${count}::int) n`);
  await ctx.db.execute(sql`
    insert into conversation_search (project_id, conversation_id, started_at, terms)
    select project_id, id, started_at, traits || array['model:' || models[1]] from conversations
    where project_id = ${ctx.projectId} and starts_with(id, ${name})`);
  await ctx.db.execute(sql`
    insert into rule_runs (project_id, id, rule_id, rule_version, configuration_revision, conversation_id, last_activity_at, origin,
      status, result_count)
    select project_id, 'rr' || id, 'tool-failure', 1, ${revision}::int, id, last_activity_at, 'automatic', 'completed', 0
    from conversations where project_id = ${ctx.projectId} and starts_with(id, ${name})`);
}

/** Gives the first conversations of a name the Finding. */
const found = (ctx: Ctx, findingId: string, name: string, count: number) =>
  ctx.db.execute(sql`
    with affected as (
      update conversations set finding_count = 1
      where project_id = ${ctx.projectId} and id in (select ${name} || n from generate_series(1, ${count}::int) n)
      returning id, last_activity_at)
    insert into occurrences (project_id, id, finding_id, conversation_id, score, confidence, severity, title, summary, evidence,
      cause_ids, detected_at, updated_at)
    select ${ctx.projectId}, 'occ' || id, ${findingId}, id, 1, 1, 'high', '', '', '[]', '{}', last_activity_at, 0 from affected`);

const compare = async (ctx: Ctx) => (await compareVersions(ctx, { baseline: OLD, compared: NEW })).comparison;

test("a Finding that a version brought is worse, what stayed shows no difference, and each number is that of the list", async () => {
  const [{ ctx }, { ctx: other }] = [await testProject(), await testProject()];
  await stored(ctx, "old", 200, { versions: [OLD], startedAt: NOW - 5 * DAY_MS });
  await stored(ctx, "new", 150, { versions: [NEW], model: "gpt-5" });
  await stored(ctx, "mixed", 7, { versions: [OLD, NEW], failed: true });
  await stored(other, "theirs", 300, { versions: [NEW], failed: true });
  const { findingId } = await failedTool(ctx, {});
  await found(ctx, findingId, "old", 2);
  await found(ctx, findingId, "new", 30);

  const comparison = await compare(ctx);
  expect(comparison).toMatchObject({
    baseline: { value: OLD, conversations: 200, sampled: false },
    compared: { value: NEW, conversations: 150, sampled: false },
    both: 7,
  });
  const [first, ...others] = comparison.rows;
  expect(first).toMatchObject({
    kind: "finding",
    finding: { id: findingId },
    baseline: { affected: 2, conversations: 200 },
    compared: { affected: 30, conversations: 150 },
    verdict: "worse",
  });
  expect(first!.difference!.low).toBeGreaterThan(0);
  expect(others.map(({ verdict }) => verdict)).not.toContain("worse");
  expect(comparison.otherwise).toContainEqual({ dimension: "model", value: "gpt-5", baseline: 0, compared: 150 });
  for (const [version, affected] of [
    [OLD, 2],
    [NEW, 30],
  ] as const)
    expect(await countConversations(ctx, { version, findingId })).toEqual({ count: affected, more: false });
  expect((await compare(other)).rows.every(({ verdict }) => verdict === "too_few")).toBe(true);
});

test("a Finding is compared only among conversations that its Rule read with the same settings", async () => {
  const { ctx } = await testProject();
  await stored(ctx, "old", 60, { versions: [OLD] });
  await stored(ctx, "new", 40, { versions: [NEW] });
  await stored(ctx, "stricter", 100, { versions: [NEW] }, 2);
  const { findingId } = await failedTool(ctx, {});
  await ctx.db.execute(sql`
    insert into rule_settings (project_id, id, revision, enabled, configuration, updated_at)
    values (${ctx.projectId}, 'tool-failure', 2, true, '{"minSignalScore":0.9}', 0)`);
  await found(ctx, findingId, "old", 30);
  await found(ctx, findingId, "new", 20);
  const [row] = (await compare(ctx)).rows.filter(({ kind }) => kind === "finding");
  expect(row).toMatchObject({
    baseline: { affected: 30, conversations: 60 },
    compared: { affected: 20, conversations: 40 },
    verdict: "none_shown",
  });
});

test("costs and errors have intervals, and fewer than thirty conversations no verdict", async () => {
  const { ctx } = await testProject();
  await stored(ctx, "old", 100, { versions: [OLD], cost: 0.02 });
  await stored(ctx, "new", 100, { versions: [NEW], cost: 0.04, failed: true });
  const rowOf = async (kind: string) => (await compare(ctx)).rows.find((row) => row.kind === kind)!;
  expect(await rowOf("cost")).toMatchObject({ verdict: "worse", compared: { conversations: 100 } });
  expect(await rowOf("errors")).toMatchObject({
    verdict: "worse",
    compared: { affected: 100 },
    baseline: { affected: 0 },
  });
  expect(await rowOf("latency")).toMatchObject({ verdict: "too_few", baseline: { conversations: 0, estimate: null } });
  await ctx.db.execute(
    sql`update conversations set unpriced_call_count = 1 where project_id = ${ctx.projectId} and id > 'new2'`,
  );
  expect((await rowOf("cost")).verdict).toBe("too_few");
});

test("versions are listed by when they first appeared, the newest first, with the number of their conversations", async () => {
  const [{ ctx }, { ctx: other }] = [await testProject(), await testProject()];
  await stored(ctx, "old", 3, { versions: [OLD], startedAt: NOW - 5 * DAY_MS });
  await stored(ctx, "new", 2, { versions: [NEW] });
  await stored(ctx, "late", 1, { versions: [OLD], startedAt: NOW + 5 });
  const { versions, sampled } = await listVersions(ctx, {});
  expect(versions.map(({ value, conversations }) => [value, conversations])).toEqual([
    [NEW, 2],
    [OLD, 4],
  ]);
  expect(sampled).toBe(false);
  const { conversations } = await listConversations(ctx, { version: OLD });
  expect(versions[1]).toMatchObject({ firstAt: conversations.at(-1)!.startedAt, lastAt: conversations[0]!.startedAt });
  expect((await listVersions(ctx, { startedBefore: NOW - DAY_MS })).versions).toHaveLength(1);
  expect((await listVersions(ctx, { by: "model" })).versions.map(({ value }) => value)).toEqual(["gpt-4o"]);
  expect((await listVersions(other, {})).versions).toEqual([]);
});
