import { and, eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { FILE_KIND_ENTRIES, tablesWhere } from "@/db/deletion-registry";
import { db } from "@/db/pool";
import {
  conversations,
  deletedTraces,
  deletionReceipts,
  files,
  findings,
  ingestReceipts,
  jobEvents,
  logRecords,
  projects,
  ruleRuns,
} from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { bodyOfChunks } from "@/server/platform/http/testing";
import { knownError } from "@/server/platform/logging/known-error";
import { createApiKey } from "@/server/services/api-keys";
import { storedJob } from "@/server/services/background-jobs/testing";
import { recountUserDays } from "@/server/services/costs";
import { createRuleRuns, executeRuleRuns, listFindings } from "@/server/services/diagnostics";
import { failingToolCall, storedConversation } from "@/server/services/diagnostics/testing";
import { beginUpload, continueUpload, uploadFile } from "@/server/services/files";
import { measureStorage } from "@/server/services/stored-sizes";
import {
  changeLabels,
  decodeLogs,
  decodeTraces,
  foldDailyCosts,
  getReceipt,
  listConversations,
  projectPending,
  storeLogs,
  storeTraces,
} from "@/server/services/telemetry";
import { chatSpan, ingest, otlpJson } from "@/server/services/telemetry/testing";
import {
  deleteConversation,
  deleteProject,
  deleteUserData,
  getDeletion,
  listDeletions,
  previewConversationDeletion,
  previewDeletion,
  runDeletion,
} from ".";
import { filesNaming, tablesNaming, tablesStillNaming } from "./testing";

const trace = (n: number) => `${String(n).padStart(4, "0")}51916cd43dd8448eb211c80319c0`;
const span = (n: number) => `00f067aa0ba9${String(n).padStart(4, "0")}`;

const conversationSpan = (n: number, session: string, user: string, said = "Hello") =>
  chatSpan(
    {
      traceId: trace(n),
      spanId: span(n),
      attributes: { "gen_ai.conversation.id": session, "user.id": user, "host.note": `note-of-${user}` },
    },
    { input: [["user", said]] },
  );

async function log(ctx: Ctx, n: number | null, attributes: Record<string, string>) {
  const record = {
    timeUnixNano: "1790000000000000000",
    ...(n === null ? {} : { traceId: trace(n), spanId: span(n) }),
    body: { stringValue: "said" },
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: { stringValue: value } })),
  };
  const body = { resourceLogs: [{ resource: {}, scopeLogs: [{ scope: {}, logRecords: [record] }] }] };
  await storeLogs(ctx, decodeLogs(Buffer.from(JSON.stringify(body)), "json"));
}

const toEnd = async (deletionId: string, forMs = 60_000) => {
  for (let turn = 0; turn < 500; turn++) {
    if ((await runDeletion(db(), deletionId, { forMs, jobName: "test" })).done) return turn;
  }
  throw new Error("The deletion does not end.");
};

test("a deleted conversation leaves no rows, and other conversations are untouched", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [conversationSpan(1, "secret-session", "ann", "my canary word")]);
  await ingest(ctx, [conversationSpan(2, "kept-session", "bob")]);
  const shared = await ingest(ctx, [
    { ...conversationSpan(1, "secret-session", "ann"), spanId: span(91) },
    { ...conversationSpan(2, "kept-session", "bob"), spanId: span(92) },
  ]);
  await log(ctx, 1, { note: "canary in a log" });
  await projectPending(db());
  const { conversations: before } = await listConversations(ctx, {});
  const [doomed] = before.filter((one) => one.externalId === "secret-session");

  const { preview } = await previewConversationDeletion(ctx, { conversationId: "secret-session" });
  expect(preview).toMatchObject({ scope: "conversation", conversations: 1, traces: 1, spans: 2, logRecords: 1 });
  const { deletion } = await deleteConversation(ctx, { conversationId: "secret-session" });
  expect(deletion).toMatchObject({
    scope: "conversation",
    status: "completed",
    actorKind: "user",
    counts: { conversations: 1, traces: 1, spans: 2, log_records: 1, model_calls: 2, span_sources: 1 },
  });
  expect(deletion.remaining).toMatchObject({ conversations: 0, spans: 0, log_records: 0, occurrences: 0 });

  for (const words of ["secret-session", "canary", "note-of-ann"]) {
    expect(await tablesNaming(db(), words), words).toEqual({});
  }
  for (const id of [trace(1), span(91), doomed!.id]) expect(await tablesStillNaming(db(), id), id).toEqual({});
  expect((await listConversations(ctx, {})).conversations.map((one) => one.externalId)).toEqual(["kept-session"]);
  expect((await getReceipt(ctx, { receiptId: shared.receiptId })).receipt.traceIds).toEqual([trace(2)]);
  await expect(deleteConversation(ctx, { conversationId: doomed!.id })).rejects.toMatchObject({ code: "not_found" });
});

test("a deleted conversation's labels are deleted everywhere, both sent ones and those added by hand", async () => {
  const { ctx } = await testProject();
  const sent = conversationSpan(6, "labelled", "ann");
  await ingest(ctx, [{ ...sent, attributes: { ...sent.attributes, "tag.tags": ["canary of the client"] } }]);
  await changeLabels(ctx, { conversationId: "labelled", add: ["canary by hand", "canary taken back"] });
  await changeLabels(ctx, { conversationId: "labelled", remove: ["canary taken back"] });
  const fold = async () => {
    while ((await foldDailyCosts(db())) > 0);
  };
  await fold();
  for (const label of ["canary of the client", "canary by hand"]) {
    expect(await tablesNaming(db(), label)).toMatchObject({ conversations: 1, daily_label_costs: 1 });
  }
  await deleteConversation(ctx, { conversationId: "labelled" });
  await fold();
  for (const label of ["canary of the client", "canary by hand", "canary taken back"]) {
    expect(await tablesNaming(db(), label), label).toEqual({});
  }
});

test("an erased user is deleted from the costs that were counted by user", async () => {
  const { ctx } = await testProject();
  const recount = () => recountUserDays(db(), { forMs: 60_000, settledMs: 0 });
  await ingest(ctx, [conversationSpan(7, "a", "canary-user"), conversationSpan(8, "b", "bob")]);
  await recount();
  expect(await tablesNaming(db(), "canary-user")).toMatchObject({ daily_user_costs: 1 });
  const { deletion } = await deleteUserData(ctx, { userId: "canary-user" });
  await runDeletion(db(), deletion.id, { forMs: 60_000, jobName: "test" });
  expect(await tablesNaming(db(), "canary-user")).toEqual({});
  await recount();
  expect(await tablesNaming(db(), "canary-user")).toEqual({});
});

test("spans of a deleted conversation that are sent again are rejected", async () => {
  const { ctx } = await testProject();
  const sent = conversationSpan(3, "gone", "ann");
  await ingest(ctx, [sent]);
  await deleteConversation(ctx, { conversationId: "gone" });
  const again = await ingest(ctx, [sent, conversationSpan(4, "new", "ann")]);
  expect(again).toMatchObject({ stored: 1, refused: 1 });
  const { receipt } = await getReceipt(ctx, { receiptId: again.receiptId });
  expect(receipt).toMatchObject({ received: 2, stored: 1, rejected: 1, duplicates: 0, traceIds: [trace(4)] });
  expect(receipt.rejections).toEqual([{ index: null, spanId: null, reason: "1 × The trace has been deleted." }]);
  await log(ctx, 3, { note: "late" });
  expect((await listConversations(ctx, {})).conversations.map((one) => one.externalId)).toEqual(["new"]);
  expect(await tablesStillNaming(db(), trace(3))).toEqual({});
});

test("a batch that was stored while its trace was deleted is deleted when it is read", async () => {
  const { ctx } = await testProject();
  await ingest(ctx, [conversationSpan(5, "raced", "ann")]);
  await deleteConversation(ctx, { conversationId: "raced" });
  // As left by a batch that looked for deleted traces before the deletion committed.
  const memory = await db().delete(deletedTraces).where(eq(deletedTraces.projectId, ctx.projectId)).returning();
  await storeTraces(
    ctx,
    decodeTraces(Buffer.from(JSON.stringify(otlpJson([conversationSpan(5, "raced", "ann")]))), "json"),
  );
  await db()
    .insert(deletedTraces)
    .values(memory.map((row) => ({ ...row, deletedAt: 0 })));
  while ((await projectPending(db())) > 0);
  expect((await listConversations(ctx, {})).conversations).toEqual([]);
  expect(await tablesStillNaming(db(), trace(5))).toEqual({});
});

test("spans of a user that cannot be rebuilt are deleted too, and do not block the deletion", async () => {
  const { ctx } = await testProject();
  const user = "user-of-a-broken-trace";
  const broken = { ...conversationSpan(41, "broken", user), traceId: trace(40) };
  for (const one of [conversationSpan(40, "broken", user), broken]) {
    await storeTraces(ctx, decodeTraces(Buffer.from(JSON.stringify(otlpJson([one]))), "json"));
  }
  await db().execute(sql`update spans set attributes = 'null' where span_id = ${span(41)}`);
  const { deletion } = await deleteUserData(ctx, { userId: user });
  await toEnd(deletion.id);
  expect(await tablesNaming(db(), user)).toEqual({});
  expect(await tablesNaming(db(), trace(40))).toEqual({});
});

test("Findings are recounted and updated, and deleted without Occurrences", async () => {
  const { ctx } = await testProject();
  const diagnose = async (conversationId: string, lastActivityAt: number) => {
    const { runs } = await createRuleRuns(ctx, { conversationId, lastActivityAt });
    await executeRuleRuns(
      ctx,
      runs.map((run) => run.id),
    );
  };
  const both = failingToolCall("lookup_order", "Error: timeout after 30 s");
  const one = await storedConversation(ctx, both, { userId: "ann-of-findings", externalId: "one" });
  const two = await storedConversation(ctx, both, { userId: "bob" });
  const own = await storedConversation(ctx, failingToolCall("charge_card", "Error: card declined"), {
    userId: "ann-of-findings",
  });
  for (const { id, lastActivityAt } of [one, two, own]) await diagnose(id, lastActivityAt);
  const before = (await listFindings(ctx, {})).findings;
  const lonely = before.filter((finding) => finding.occurrenceCount === 1);
  expect(before.some((finding) => finding.occurrenceCount === 2)).toBe(true);
  expect(lonely.length).toBeGreaterThan(0);
  // A person has reviewed it; nevertheless it is deleted along with what it is about.
  await db().update(findings).set({ reviewStatus: "confirmed" }).where(eq(findings.projectId, ctx.projectId));

  const { preview } = await previewDeletion(ctx, { userId: "ann-of-findings" });
  const kept = before.filter((finding) => finding.occurrenceCount === 2);
  expect(preview).toMatchObject({ findings: lonely.length, recountedFindings: kept.length });
  expect(preview.oldestActivityAt).toBe(Math.min(one.lastActivityAt, own.lastActivityAt));
  const named = preview.touchedFindings.map(({ id, goes }) => `${id} ${goes}`).sort();
  expect(named).toEqual([...lonely.map(({ id }) => `${id} true`), ...kept.map(({ id }) => `${id} false`)].sort());

  const { deletion } = await deleteUserData(ctx, { userId: "ann-of-findings" });
  expect(deletion.remaining).toBeNull();
  await toEnd(deletion.id);
  const after = (await listFindings(ctx, {})).findings;
  expect(after.map((finding) => [finding.occurrenceCount, finding.userCount])).toEqual(after.map(() => [1, 1]));
  expect(after).toHaveLength(before.length - lonely.length);
  const runs = await db().select().from(ruleRuns).where(eq(ruleRuns.projectId, ctx.projectId));
  expect(new Set(runs.map((run) => run.conversationId))).toEqual(new Set([two.id]));
  const counts = (await getDeletion(ctx, { deletionId: deletion.id })).deletion.counts;
  expect(counts).toMatchObject({ conversations: 2, findings: lonely.length });
  for (const words of ["ann-of-findings", "card declined"]) expect(await tablesNaming(db(), words), words).toEqual({});
  for (const id of [one.id, own.id]) expect(await tablesStillNaming(db(), id), id).toEqual({});
});

test("all data of a user is deleted, including unprojected spans, and the receipt does not name them", async () => {
  const { ctx } = await testProject();
  const user = "user-7f3a@example.com";
  for (let n = 10; n < 20; n++) await ingest(ctx, [conversationSpan(n, `session-${n}`, n % 2 ? user : "other")]);
  // Stored, but not processed by any projector yet.
  await storeTraces(
    ctx,
    decodeTraces(Buffer.from(JSON.stringify(otlpJson([conversationSpan(21, "unread", user)]))), "json"),
  );
  await log(ctx, null, { "user.id": user });
  await log(ctx, 22, { "user.id": user });
  expect((await previewDeletion(ctx, { userId: user })).preview).toMatchObject({ scope: "user", conversations: 5 });

  const { deletion } = await deleteUserData(ctx, { userId: user });
  expect(deletion).toMatchObject({ scope: "user", status: "queued" });
  expect(await db().select().from(jobEvents).where(eq(jobEvents.name, "data/deletion.requested"))).toContainEqual(
    expect.objectContaining({ data: { deletionId: deletion.id, projectId: ctx.projectId } }),
  );
  await toEnd(deletion.id);
  expect(await tablesNaming(db(), user)).toEqual({});
  for (const n of [11, 13, 21]) expect(await tablesNaming(db(), trace(n)), trace(n)).toEqual({});
  expect((await listConversations(ctx, {})).conversations).toHaveLength(5);
  const { deletion: done } = await getDeletion(ctx, { deletionId: deletion.id });
  expect(done).toMatchObject({ status: "completed", counts: { conversations: 6, traces: 6, spans: 6 } });
  expect(Object.keys(done.remaining!)).toContain("log_records");
  expect(new Set(Object.values(done.remaining!))).toEqual(new Set([0]));
  expect((await listDeletions(ctx, {})).deletions.map((one) => one.id)).toEqual([deletion.id]);
  // Called again by a repeated step, it changes nothing.
  expect(await runDeletion(db(), deletion.id, { forMs: 1000, jobName: "test" })).toEqual({ done: true });
});

test("a receipt shows progress, requester, and the failed job that stalls a deletion", async () => {
  const { ctx, userId } = await testProject();
  await ingest(ctx, [conversationSpan(81, "one", "ann"), conversationSpan(82, "two", "ann")]);
  const { deletion } = await deleteUserData(ctx, { userId: "ann" });
  const asked = { expected: 2, counts: {}, actorId: userId, actorName: `${userId}@example.test`, failedJobId: null };
  expect(deletion).toMatchObject(asked);

  const failed = await storedJob(ctx, { state: "failed", data: { deletionId: deletion.id } });
  const theirs = await testProject();
  await storedJob(theirs.ctx, { state: "failed", data: { deletionId: deletion.id } });
  expect((await listDeletions(ctx, {})).deletions).toMatchObject([{ ...asked, failedJobId: failed }]);
  await toEnd(deletion.id);
  expect((await getDeletion(ctx, { deletionId: deletion.id })).deletion).toMatchObject({
    status: "completed",
    expected: 2,
    counts: { conversations: 2 },
    failedJobId: null,
  });
});

test("an interrupted deletion resumes where it stopped, and counts each row once", async () => {
  const { ctx } = await testProject();
  await db()
    .insert(conversations)
    .values(
      Array.from({ length: 450 }, (_, n) => ({
        projectId: ctx.projectId,
        id: `conv_interrupted_${n}`,
        key: `id:interrupted-${n}`,
        userId: "heavy",
        startedAt: n,
        lastActivityAt: n,
        receivedAt: n,
      })),
    );
  const { deletion } = await deleteUserData(ctx, { userId: "heavy" });
  // No time at all: one batch per call, as if the worker died after each.
  expect(await toEnd(deletion.id, 0)).toBeGreaterThan(1);
  expect((await getDeletion(ctx, { deletionId: deletion.id })).deletion.counts).toEqual({ conversations: 450 });
});

test("a deleted project is inaccessible immediately, and then deleted entirely", async () => {
  const { ctx } = await testProject();
  const kept = await testProject();
  await ingest(kept.ctx, [conversationSpan(1, "theirs", "bob")]);
  await ingest(ctx, [conversationSpan(31, "a", "ann"), conversationSpan(32, "b", "bob")]);
  const told = await storedConversation(ctx, failingToolCall("lookup", "Error: no"), {});
  await createRuleRuns(ctx, { conversationId: told.id, lastActivityAt: told.lastActivityAt });
  await log(ctx, null, { a: "b" });
  await expect(deleteProject(ctx, { name: "Another" })).rejects.toMatchObject({
    code: "unprocessable",
    errors: [{ path: "/name" }],
  });
  expect((await previewDeletion(ctx, {})).preview).toMatchObject({ scope: "project", conversations: 3, spans: 2 });
  const overtaken = await deleteUserData(ctx, { userId: "ann" });
  const { deletion } = await deleteProject(ctx, { name: "Test project" });
  expect(await db().execute(sql`select 1 from memberships where project_id = ${ctx.projectId}`)).toHaveLength(0);
  await toEnd(deletion.id, 0);

  const outlasting = tablesWhere(({ project }) => project === "kept");
  expect(outlasting).toEqual(expect.arrayContaining(Object.keys(await tablesNaming(db(), ctx.projectId))));
  for (const id of [trace(31), told.id]) expect(await tablesNaming(db(), id), id).toEqual({});
  const [receipt] = await db().select().from(deletionReceipts).where(eq(deletionReceipts.id, deletion.id));
  expect(receipt).toMatchObject({ status: "completed", subject: null });
  const [other] = await db().select().from(deletionReceipts).where(eq(deletionReceipts.id, overtaken.deletion.id));
  expect(other).toMatchObject({ status: "completed", subject: null });
  expect(receipt!.counts).toMatchObject({ projects: 1, memberships: 1, spans: 2, conversations: 3, log_records: 1 });
  expect((await listConversations(kept.ctx, {})).conversations).toHaveLength(1);
});

test.each(Object.keys(FILE_KIND_ENTRIES) as (keyof typeof FILE_KIND_ENTRIES)[])(
  "text in a file of kind %s is deleted with its project, and another project's stays",
  async (kind) => {
    const [ours, theirs] = [await testProject(), await testProject()];
    const words = `what somebody said in a file of kind ${kind}`;
    for (const { ctx } of [ours, theirs]) {
      const body = bodyOfChunks(Buffer.from(`{"text": "${words}"}`));
      await uploadFile(ctx, { name: "conversations.jsonl" }, { body });
      const { file } = await beginUpload(ctx, { name: "more.jsonl", bytes: 1_000_000 });
      await continueUpload(ctx, { fileId: file.id, offset: 0 }, { body }); // never finished
      await db().update(files).set({ kind }).where(eq(files.projectId, ctx.projectId));
    }
    expect(await filesNaming(words)).toHaveLength(4);
    const { deletion } = await deleteProject(ours.ctx, { name: "Test project" });
    await toEnd(deletion.id);
    expect((await filesNaming(words)).map((key) => key.split("/")[0])).toEqual([
      theirs.ctx.projectId,
      theirs.ctx.projectId,
    ]);
    expect(await db().select().from(files).where(eq(files.projectId, ours.ctx.projectId))).toEqual([]);
    await deleteProject(theirs.ctx, { name: "Test project" });
  },
);

test("the preview of a large deletion is marked as incomplete, and a project's uses the last measurement", async () => {
  const { ctx } = await testProject();
  await db().execute(sql`
    insert into conversations (project_id, id, key, user_id, started_at, last_activity_at, received_at)
    select ${ctx.projectId}::text, 'conv_' || n, 'trace:' || n, 'ann', n, n, n from generate_series(1, 502) n`);
  const some = { conversations: 250, complete: false, measuredAt: null };
  expect((await previewDeletion(ctx, { userId: "ann" })).preview).toMatchObject({ scope: "user", ...some });
  expect((await previewDeletion(ctx, {})).preview).toMatchObject({ scope: "project", ...some });
  await measureStorage(ctx, 12345);
  const { preview } = await previewDeletion(ctx, {});
  expect(preview).toMatchObject({ scope: "project", conversations: 502, complete: true, measuredAt: 12345 });
  expect((await previewDeletion(ctx, { userId: "bob" })).preview).toMatchObject({ conversations: 0, complete: true });
});

test("only owners can delete, and another project's conversation is not found", async () => {
  const editor = await testProject("manager");
  const theirs = await testProject();
  await ingest(theirs.ctx, [conversationSpan(41, "theirs", "ann")]);
  for (const asked of [
    deleteConversation(editor.ctx, { conversationId: "x" }),
    deleteUserData(editor.ctx, { userId: "x" }),
    deleteProject(editor.ctx, { name: "Test project" }),
    previewDeletion(editor.ctx, {}),
    listDeletions(editor.ctx, {}),
  ]) {
    await expect(asked).rejects.toMatchObject({ code: "forbidden" });
  }
  const owner = await testProject();
  await expect(deleteConversation(owner.ctx, { conversationId: "theirs" })).rejects.toMatchObject({
    code: "not_found",
  });
  const { deletion } = await deleteUserData(owner.ctx, { userId: "ann" });
  await toEnd(deletion.id);
  expect((await listConversations(theirs.ctx, {})).conversations).toHaveLength(1);
  await expect(getDeletion(theirs.ctx, { deletionId: deletion.id })).rejects.toMatchObject({ code: "not_found" });
});

test("deleting while the same conversation is being sent leaves nothing behind", async () => {
  const { ctx } = await testProject();
  const batch = (n: number) =>
    decodeTraces(
      Buffer.from(JSON.stringify(otlpJson([{ ...conversationSpan(51, "busy", "ann"), spanId: span(1000 + n) }]))),
      "json",
    );
  await storeTraces(ctx, batch(0));
  while ((await projectPending(db())) > 0);
  let n = 0;
  let sending = true;
  const senders = [1, 2, 3].map(async () => {
    while (sending) await storeTraces(ctx, batch(++n)).catch(() => {});
  });
  const projector = (async () => {
    while (sending) await projectPending(db()).catch(() => {});
  })();
  await new Promise((resolve) => setTimeout(resolve, 200));
  const attempt = () => deleteConversation(ctx, { conversationId: "busy" });
  await attempt().catch(attempt).catch(attempt);
  await new Promise((resolve) => setTimeout(resolve, 200));
  sending = false;
  await Promise.all([...senders, projector]);
  while ((await projectPending(db())) > 0);
  const left = async (table: "spans" | "traces" | "conversations" | "model_calls") =>
    (await db().execute(sql`select 1 from ${sql.identifier(table)} where project_id = ${ctx.projectId}`)).length;
  for (const table of ["spans", "traces", "conversations", "model_calls"] as const) expect(await left(table)).toBe(0);
  expect(await tablesStillNaming(db(), trace(51))).toEqual({});
  expect(await db().select().from(logRecords).where(eq(logRecords.projectId, ctx.projectId))).toEqual([]);
  expect(
    await db()
      .select()
      .from(ingestReceipts)
      .where(and(eq(ingestReceipts.projectId, ctx.projectId), sql`trace_ids <> '{}'`)),
  ).toEqual([]);
  expect(await db().select().from(projects).where(eq(projects.id, ctx.projectId))).toHaveLength(1);
}, 60_000);

test("a request admitted just before its project was deleted gets a 404", async () => {
  const { ctx } = await testProject();
  await db().execute(sql`delete from projects where id = ${ctx.projectId}`);
  const late = createApiKey(ctx, { name: "Too late" }).catch((error) => knownError(error));
  expect(await late).toMatchObject({ code: "not_found" });
});
