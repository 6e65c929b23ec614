import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { exampleCandidates, exampleRevisions } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { amount, KILLS } from "@/scripts/lib/testing/amounts.mjs";
import type { Ctx } from "@/server/platform/context";
import { createCollectionPass, getCollectionPass, runCollectionPass } from "@/server/services/collection";
import { createDataset } from "@/server/services/datasets";
import { requireExactCounts } from "@/server/services/datasets/examples/testing";
import { storedConversation } from "@/server/services/diagnostics/testing";
import { createFeedback } from "@/server/services/telemetry";
import { killRepeatedly } from "../testing/kill-repeatedly";

/** A third of them is rejected. */
const CONVERSATIONS = amount(24, 120);
const AT_ONCE = 6;
const WINDOW = { startMs: 0, endMs: Date.UTC(2099, 0), maxConversations: 10_000 };

/** Conversations that their users praised, each with unique words. */
async function praisedOnes(ctx: Ctx, count: number) {
  const one = async (n: number) => {
    const words = Array.from({ length: 30 }, (_, at) => `topic${n}word${at}`).join(" ");
    const { id } = await storedConversation(
      ctx,
      [
        { role: "user", text: `Tell me about ${words}?` },
        { role: "assistant", text: `Here is what I know about ${words}.` },
      ],
      { startedAt: Date.UTC(2026, 9, 1) + n * 60_000 },
    );
    await createFeedback(ctx, { conversationId: id, kind: "thumb", value: "up" });
  };
  for (let from = 0; from < count; from += AT_ONCE) {
    await Promise.all(Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, at) => one(from + at)));
  }
  await db().execute(sql`
    update conversations set received_at = 1, diagnosed_received_at = 1 where project_id = ${ctx.projectId}`);
}

async function newPass(ctx: Ctx, collectionReview: boolean) {
  const { dataset } = await createDataset(ctx, {
    name: "Answers",
    collectionObjective: "preserve_successful_behavior",
    collectionEnabled: true,
    collectionReview,
  });
  const { collectionPass } = await createCollectionPass(ctx, { datasetId: dataset.id, ...WINDOW });
  return { datasetId: dataset.id, id: collectionPass.id };
}

const candidatesOf = (datasetId: string) =>
  db()
    .select({ status: exampleCandidates.status, exampleId: exampleCandidates.exampleId })
    .from(exampleCandidates)
    .where(eq(exampleCandidates.datasetId, datasetId));
const examplesOf = (datasetId: string) => db().$count(exampleRevisions, eq(exampleRevisions.datasetId, datasetId));

test("a collection that is killed repeatedly adds each conversation once", async () => {
  const { ctx } = await testProject();
  await praisedOnes(ctx, CONVERSATIONS);
  let kills = 0;
  while (kills < KILLS) {
    const { datasetId, id } = await newPass(ctx, false);
    const read = async () => (await getCollectionPass(ctx, { datasetId, collectionPassId: id })).collectionPass;
    const isRunning = async () => (await read()).finishedAt === null;
    // Timed from the start, not from a commit: a kill can hit the reading of a batch as well as the storing.
    kills += await killRepeatedly({ args: ["collection", ctx.projectId, id], isRunning, withinMs: 400 }, KILLS);

    expect(await read()).toMatchObject({
      status: "completed",
      conversationsRead: CONVERSATIONS,
      proposed: CONVERSATIONS,
    });
    expect(await examplesOf(datasetId)).toBe(CONVERSATIONS);
    const candidates = await candidatesOf(datasetId);
    expect(candidates.map(({ status }) => status)).toEqual(candidates.map(() => "approved"));
    expect(new Set(candidates.map(({ exampleId }) => exampleId)).size).toBe(CONVERSATIONS);
    const versions = await db().execute(sql`
      select kind, cause_id, added, closed_at is not null as closed from dataset_versions where dataset_id = ${datasetId}`);
    expect([...versions]).toEqual([{ kind: "collection", cause_id: id, added: CONVERSATIONS, closed: true }]);
    await requireExactCounts(ctx, datasetId);
  }
  expect(kills).toBeGreaterThanOrEqual(KILLS);
}, 600_000);

test("reviewers that are killed repeatedly decide each Candidate once", async () => {
  const { ctx, userId } = await testProject();
  await praisedOnes(ctx, CONVERSATIONS);
  const { datasetId, id } = await newPass(ctx, true);
  while (!(await runCollectionPass(ctx, id, { forMs: 60_000 })).done);
  const waiting = async () => (await candidatesOf(datasetId)).filter(({ status }) => status === "waiting").length;
  expect(await waiting()).toBe(CONVERSATIONS);
  const kills = await killRepeatedly(
    {
      args: ["review", ctx.projectId, datasetId, userId],
      isRunning: async () => (await waiting()) > 0,
      progress: async () => CONVERSATIONS - (await waiting()),
      withinMs: 40,
    },
    KILLS,
  );
  expect(kills).toBeGreaterThan(0);

  const candidates = await candidatesOf(datasetId);
  const approved = candidates.filter(({ status }) => status === "approved");
  expect(candidates).toHaveLength(CONVERSATIONS);
  expect(candidates.filter(({ status }) => status === "rejected")).toHaveLength(CONVERSATIONS / 3);
  expect(approved).toHaveLength((CONVERSATIONS * 2) / 3);
  expect(await examplesOf(datasetId)).toBe(approved.length);
  const examples = await db()
    .select({ id: exampleRevisions.exampleId, reviewer: exampleRevisions.reviewerId })
    .from(exampleRevisions)
    .where(eq(exampleRevisions.datasetId, datasetId));
  expect(new Set(examples.map((one) => one.id))).toEqual(new Set(approved.map(({ exampleId }) => exampleId)));
  expect(new Set(examples.map(({ reviewer }) => reviewer))).toEqual(new Set([userId]));
  await requireExactCounts(ctx, datasetId);
  // Each decision has left one entry in the audit log, and nothing else has.
  const decisions = await db().execute<{ count: number }>(sql`
    select count(*)::int as count from audit_log
    where project_id = ${ctx.projectId} and action in ('reviewQueue.approve', 'reviewQueue.reject')`);
  expect(decisions[0]?.count).toBe(CONVERSATIONS);
}, 600_000);
