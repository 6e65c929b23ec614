import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import {
  adjudications,
  conversations,
  datasetImportSources,
  deletedTraces,
  exampleRevisions,
  files,
  ingestReceipts,
  jobEvents,
} from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { DAY_MS } from "@/server/platform/durations";
import { bodyOfChunks } from "@/server/platform/http/testing";
import { addConversationsToDatasets } from "@/server/services/collection";
import { storedDataset } from "@/server/services/datasets/examples/testing";
import { chatLine, newImport } from "@/server/services/datasets/imports/testing";
import { deleteUserData, listDeletions, runDeletion } from "@/server/services/deletion";
import { filesNaming } from "@/server/services/deletion/testing";
import { updateDiagnosticSettings } from "@/server/services/diagnostics";
import { listFiles, uploadFile } from "@/server/services/files";
import { listConversations } from "@/server/services/telemetry";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";
import { getRetention, previewRetention, runHousekeeping, scheduleHousekeeping, updateRetention } from ".";

const NOW = Date.now();

async function conversation(ctx: Ctx, n: number, age: { active: number; received?: number }) {
  await ingest(ctx, [
    chatSpan({
      traceId: n.toString(16).padStart(32, "0"),
      spanId: n.toString(16).padStart(16, "0"),
      startMs: NOW - age.active * DAY_MS,
      attributes: { "gen_ai.conversation.id": `s-${n}` },
    }),
  ]);
  await db()
    .update(conversations)
    .set({ receivedAt: NOW - (age.received ?? age.active) * DAY_MS })
    .where(and(eq(conversations.projectId, ctx.projectId), eq(conversations.externalId, `s-${n}`)));
}
const names = async (ctx: Ctx) => (await listConversations(ctx, {})).conversations.map((one) => one.externalId).sort();
const toEnd = async (asked: Ctx, forMs = 60_000) => {
  const ctx: Ctx = { ...asked, actor: { kind: "job", name: "keep-house" } };
  for (let turn = 1; turn < 500; turn++)
    if ((await runHousekeeping(ctx, { day: "2026-11-20" }, { forMs })).done) return turn;
  throw new Error("It does not end.");
};

test("conversations beyond the retention period are deleted, with a preview before and a receipt after", async () => {
  const { ctx } = await testProject();
  const neighbour = await testProject();
  for (const each of [ctx, neighbour.ctx]) {
    await conversation(each, 1, { active: 40 });
    await conversation(each, 2, { active: 31 });
    await conversation(each, 3, { active: 400, received: 1 }); // imported yesterday
    await conversation(each, 4, { active: 2 });
  }
  expect((await getRetention(ctx, {})).retention).toMatchObject({ days: null, updatedAt: null });
  await toEnd(ctx);
  expect(await names(ctx)).toHaveLength(4);

  const { preview } = await previewRetention(ctx, { days: 30 });
  expect(preview).toMatchObject({ days: 30, conversations: 2, impact: { spans: 2, findings: 0 } });
  expect(preview.oldestActivityAt).toBeLessThan(NOW - 39 * DAY_MS);
  expect((await updateRetention(ctx, { days: 30 })).retention.days).toBe(30);
  await toEnd(ctx);
  expect(await names(ctx)).toEqual(["s-3", "s-4"]);
  expect(await names(neighbour.ctx)).toHaveLength(4);
  const [receipt, ...others] = (await listDeletions(ctx, {})).deletions;
  expect(others).toEqual([]);
  expect(receipt).toMatchObject({
    scope: "retention",
    status: "completed",
    actorKind: "job",
    actorId: "keep-house",
    counts: { conversations: 2, traces: 2, spans: 2 },
  });
  // Expiry is not a deletion by a user: an old conversation that continues is accepted again.
  expect(await db().select().from(deletedTraces).where(eq(deletedTraces.projectId, ctx.projectId))).toEqual([]);
  await updateRetention(ctx, { days: null });
  expect((await getRetention(ctx, {})).retention.days).toBeNull();
});

/** A conversation about to expire, with an Example and an import made from it before its user logged in. */
async function anonymousAtFirst(ctx: Ctx) {
  await conversation(ctx, 1, { active: 40 });
  const { id } = (await listConversations(ctx, {})).conversations[0]!;
  const datasetId = await storedDataset(ctx);
  await addConversationsToDatasets(ctx, { conversationIds: [id], datasetIds: [datasetId] });
  const importId = await newImport(ctx, datasetId, [chatLine("Hello")]);
  await ctx.db.insert(datasetImportSources).values({ projectId: ctx.projectId, importId, conversationId: id });
  await ingest(ctx, [
    chatSpan({
      traceId: "2".padStart(32, "0"),
      spanId: "2".padStart(16, "0"),
      startMs: NOW - 40 * DAY_MS + 1000,
      attributes: { "gen_ai.conversation.id": "s-1", "user.id": "ann" },
    }),
  ]);
  await db()
    .update(conversations)
    .set({ receivedAt: NOW - 40 * DAY_MS })
    .where(eq(conversations.id, id));
  await updateRetention(ctx, { days: 30 });
  await toEnd(ctx);
  expect(await names(ctx)).toEqual([]);
}

test("Examples and files of an expired conversation are deleted with its user, even if known only later", async () => {
  const [{ ctx }, neighbour] = [await testProject(), await testProject()];
  for (const each of [ctx, neighbour.ctx]) await anonymousAtFirst(each);
  const { deletion } = await deleteUserData(ctx, { userId: "ann" });
  while (!(await runDeletion(ctx.db, deletion.id, { forMs: 10_000, jobName: "test" })).done);
  for (const [each, left] of [
    [ctx, 0],
    [neighbour.ctx, 1],
  ] as const)
    for (const table of [exampleRevisions, datasetImportSources, files])
      expect(await db().$count(table, eq(table.projectId, each.projectId))).toBe(left);
});

test("a retention of less than a day is refused, and only an owner may change it", async () => {
  const { ctx } = await testProject();
  for (const days of [0, -1, 0.5])
    await expect(updateRetention(ctx, { days })).rejects.toMatchObject({ name: "ZodError" });
  const manager = await testProject("manager");
  await expect(updateRetention(manager.ctx, { days: 30 })).rejects.toMatchObject({ code: "forbidden" });
  expect((await getRetention(manager.ctx, {})).retention.days).toBeNull();
});

test("interrupted housekeeping resumes, and batch receipts are deleted after a month", async () => {
  const { ctx } = await testProject();
  await db()
    .insert(conversations)
    .values(
      Array.from({ length: 450 }, (_, n) => ({
        projectId: ctx.projectId,
        id: `conv_${n}`,
        key: `id:${n}`,
        startedAt: 1,
        lastActivityAt: n,
        receivedAt: n,
      })),
    );
  const receipt = { projectId: ctx.projectId, signal: "traces" as const, received: 0, stored: 0, rejected: 0 };
  await db()
    .insert(ingestReceipts)
    .values([
      { ...receipt, id: "rcp_old", rejections: [], traceIds: [], createdAt: NOW - 31 * DAY_MS },
      { ...receipt, id: "rcp_new", rejections: [], traceIds: [], createdAt: NOW - 29 * DAY_MS },
    ]);
  expect((await previewRetention(ctx, { days: 365 })).preview).toMatchObject({
    conversations: 450,
    complete: true,
    impact: null,
  });
  await updateRetention(ctx, { days: 365 });
  expect(await toEnd(ctx, 1)).toBeGreaterThan(1);
  expect(await names(ctx)).toEqual([]);
  expect((await listDeletions(ctx, {})).deletions[0]!.counts).toEqual({ conversations: 450 });
  const kept = await db().select().from(ingestReceipts).where(eq(ingestReceipts.projectId, ctx.projectId));
  expect(kept.map((row) => row.id)).toEqual(["rcp_new"]);
});

test("an imported file is deleted after a month, or earlier by the project's retention", async () => {
  const [kept, short] = [await testProject(), await testProject()];
  await updateRetention(short.ctx, { days: 5 });
  const words = (name: string) => `said in an import, ${name}`;
  const bodyOf = (name: string) => bodyOfChunks(Buffer.from(words(name)));
  for (const { ctx } of [kept, short])
    for (const age of [31, 6, 1]) {
      const name = `${age} days old`;
      const { file } = await uploadFile(ctx, { name }, { body: bodyOf(name) });
      await db()
        .update(files)
        .set({ createdAt: NOW - age * DAY_MS })
        .where(eq(files.id, file.id));
    }
  const left = async (ctx: Ctx) => (await listFiles(ctx, {})).files.map(({ name }) => name);
  await toEnd(kept.ctx);
  await toEnd(short.ctx);
  expect(await left(kept.ctx)).toEqual(["1 days old", "6 days old"]);
  expect(await left(short.ctx)).toEqual(["1 days old"]);
  const stored = async (name: string) => (await filesNaming(words(name))).map((key) => key.split("/")[0]);
  expect(await stored("31 days old")).toEqual([]);
  expect(await stored("6 days old")).toEqual([kept.ctx.projectId]);
  expect(await stored("1 days old")).toHaveLength(2);
});

test("the adjudicator's answers are deleted when the project no longer reuses them", async () => {
  const { ctx } = await testProject();
  await conversation(ctx, 1, { active: 40 });
  const conversationId = (await listConversations(ctx, {})).conversations[0]!.id;
  const answer = { verdict: "no_match", quotes: [], reason: "" };
  await db()
    .insert(adjudications)
    .values(
      [31, 29].map((days) => ({
        projectId: ctx.projectId,
        id: `${days} days`,
        conversationId,
        answer,
        createdAt: NOW - days * DAY_MS,
      })),
    );
  const left = async () =>
    (await db().select().from(adjudications).where(eq(adjudications.projectId, ctx.projectId))).map(({ id }) => id);
  await toEnd(ctx);
  expect(await left()).toEqual(["29 days"]);
  await updateDiagnosticSettings(ctx, { adjudicationCacheDays: 7 });
  await toEnd(ctx);
  expect(await left()).toEqual([]);
});

test("each project's housekeeping is queued once a day, however often it is scheduled", async () => {
  const { ctx } = await testProject();
  for (const at of [NOW, NOW, NOW + DAY_MS]) await scheduleHousekeeping(db(), at);
  const told = await db()
    .select()
    .from(jobEvents)
    .where(and(eq(jobEvents.projectId, ctx.projectId), eq(jobEvents.name, "data/housekeeping.due")));
  expect(told).toHaveLength(2);
});

test("the next housekeeping is within the hour, or tomorrow if today's is already queued", async () => {
  const { ctx } = await testProject();
  const nextRun = async () => new Date((await getRetention(ctx, {})).retention.nextRunAt);
  const soon = await nextRun();
  expect([soon.getUTCMinutes(), soon.getUTCSeconds()]).toEqual([17, 0]);
  expect(soon.getTime() - Date.now()).toBeLessThanOrEqual(DAY_MS / 24);
  await scheduleHousekeeping(db());
  const [today, tomorrow] = [new Date().toISOString(), (await nextRun()).toISOString()];
  expect(tomorrow.slice(11)).toBe("00:17:00.000Z");
  expect(tomorrow.slice(0, 10) > today.slice(0, 10)).toBe(true);
});
