import { and, eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { auditLog, exampleCandidates, memberships, users } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { CAPABILITIES } from "@/server/platform/capabilities";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";
import {
  approveCandidate,
  claimCandidate,
  createExample,
  getCandidate,
  getExample,
  listReviewQueue,
  nextCandidate,
  peekCandidate,
  rejectCandidate,
  releaseCandidate,
  skipCandidate,
  undoDecision,
} from "..";
import { smallPayload } from "../chat-payload/testing";
import { requireExactCounts, storedDataset, whileChanged, write } from "../examples/testing";
import { storedCandidate } from "./testing";

async function reviewers() {
  const { ctx } = await testProject();
  const userId = (await testProject()).userId;
  await db().insert(memberships).values({ projectId: ctx.projectId, userId, role: "editor" });
  const other: Ctx = { ...ctx, actor: { kind: "user", userId, role: "editor" } };
  return { ctx, other, datasetId: await storedDataset(ctx) };
}

const currentOf = async (datasetId: string) => {
  const rows = await db().execute<{ id: string; payload: object; provenance_key: string; reviewer_id: string }>(
    sql`select example_id as id, payload, provenance_key, reviewer_id from example_revisions
      where dataset_id = ${datasetId} and to_version is null order by ordinal`,
  );
  return [...rows];
};

test("two reviewers never get the same candidate, and each keeps theirs until it is decided or released", async () => {
  const { ctx, other, datasetId } = await reviewers();
  const ids = [];
  for (let n = 0; n < 3; n += 1) ids.push(await storedCandidate(ctx, datasetId));
  const [mine, theirs] = await Promise.all([nextCandidate(ctx, {}), nextCandidate(other, {})]);
  expect(new Set([mine.candidate!.id, theirs.candidate!.id]).size).toBe(2);
  expect((await nextCandidate(ctx, {})).candidate!.id).toBe(mine.candidate!.id);
  const ahead = await nextCandidate(ctx, { holding: [mine.candidate!.id] });
  expect([mine, theirs].map(({ candidate }) => candidate!.id)).not.toContain(ahead.candidate!.id);
  await expect(skipCandidate(other, { candidateId: mine.candidate!.id })).rejects.toMatchObject({ code: "conflict" });
  await expect(claimCandidate(other, { candidateId: mine.candidate!.id })).rejects.toMatchObject({ code: "conflict" });

  await releaseCandidate(ctx, { candidateId: mine.candidate!.id });
  expect((await claimCandidate(other, { candidateId: mine.candidate!.id })).candidate.claimedBy).not.toBeNull();
  // After a claim expires, anyone may take the candidate.
  await db().update(exampleCandidates).set({ claimedUntil: 1 }).where(eq(exampleCandidates.id, mine.candidate!.id));
  expect((await claimCandidate(ctx, { candidateId: mine.candidate!.id })).candidate.claimedUntil).toBeGreaterThan(1);
});

test("taking a candidate is in the audit log, and finding none is not", async () => {
  const { ctx, datasetId } = await reviewers();
  const taken = () =>
    db().$count(auditLog, and(eq(auditLog.projectId, ctx.projectId), eq(auditLog.action, nextCandidate.spec.name)));
  expect((await nextCandidate(ctx, {})).candidate).toBeNull();
  expect(await taken()).toBe(0);
  await storedCandidate(ctx, datasetId);
  expect((await nextCandidate(ctx, {})).candidate).not.toBeNull();
  expect(await taken()).toBe(1);
});

test("a peek shows the caller's next candidate without taking it, and none of another project", async () => {
  const { ctx, other, datasetId } = await reviewers();
  const [first, second] = [await storedCandidate(ctx, datasetId), await storedCandidate(ctx, datasetId)];
  const peeked = await peekCandidate(other, { datasetId });
  expect(peeked).toMatchObject({ candidate: { id: first, claimedBy: null }, counter: { waiting: 2 } });
  expect((await nextCandidate(ctx, {})).candidate!.id).toBe(first);
  expect((await peekCandidate(ctx, {})).candidate!.id).toBe(first);
  expect((await peekCandidate(other, {})).candidate!.id).toBe(second);

  const { ctx: stranger } = await testProject();
  expect(await peekCandidate(stranger, { datasetId })).toMatchObject({ candidate: null, counter: { waiting: 0 } });
});

test("many reviewers share a queue concurrently without taking a candidate twice", async () => {
  const { ctx, datasetId } = await reviewers();
  for (let n = 0; n < 12; n += 1) await storedCandidate(ctx, datasetId);
  const as = (userId: string): Ctx => ({ ...ctx, actor: { kind: "user", userId, role: "editor" } });
  const taken = await Promise.all(Array.from({ length: 12 }, () => nextCandidate(as(newId("usr")), { datasetId })));
  expect(new Set(taken.map(({ candidate }) => candidate!.id)).size).toBe(12);
  expect((await nextCandidate(ctx, { datasetId })).candidate).toBeNull();
});

test("an Example names its reviewer as long as they are a member", async () => {
  const { ctx, other, datasetId } = await reviewers();
  const { userId } = other.actor as { userId: string };
  const key: Ctx = { ...ctx, actor: { kind: "apiKey", keyId: newId("key"), capabilities: CAPABILITIES } };
  await db().update(users).set({ name: "Ada Lovelace" }).where(eq(users.id, userId));
  const approvedBy = async (by: Ctx) => {
    const candidateId = await storedCandidate(ctx, datasetId);
    const { candidate } = await approveCandidate(by, { candidateId });
    return candidate.exampleId!;
  };
  const reviewerOf = async (exampleId: string) => (await getExample(ctx, { datasetId, exampleId })).reviewer;
  const byPerson = await approvedBy(other);
  expect(await reviewerOf(byPerson)).toEqual({ kind: "user", id: userId, name: "Ada Lovelace" });
  expect(await reviewerOf(await approvedBy(key))).toMatchObject({ kind: "apiKey", name: null });
  const operator = await approvedBy({ ...ctx, actor: { kind: "operator" } });
  expect(await reviewerOf(operator)).toEqual({ kind: "operator", id: null, name: null });
  await db().delete(memberships).where(eq(memberships.userId, userId));
  expect(await reviewerOf(byPerson)).toEqual({ kind: "user", id: userId, name: null });
  const { example } = await createExample(ctx, { datasetId, payload: smallPayload("By hand") });
  expect(await reviewerOf(example.id)).toBeNull();
});

test("an approved candidate becomes an Example, and undo removes it", async () => {
  const { ctx, datasetId } = await reviewers();
  const candidateId = await storedCandidate(ctx, datasetId, { question: "Where is order 1?" });
  const { candidate, outcome, counter } = await approveCandidate(ctx, { candidateId, tags: ["good"] });
  expect(outcome).toEqual({ status: "created", exampleId: candidate.exampleId });
  expect(counter).toEqual({ waiting: 0, doneToday: 1, perHour: 1 });
  const [example] = await currentOf(datasetId);
  expect(example).toMatchObject({ id: candidate.exampleId, provenance_key: candidateId });
  await expect(approveCandidate(ctx, { candidateId })).rejects.toMatchObject({ code: "conflict" });
  await requireExactCounts(ctx, datasetId);

  const undone = await undoDecision(ctx, {});
  expect(undone).toMatchObject({
    candidate: { id: candidateId, status: "waiting", exampleId: null },
    counter: { waiting: 1 },
  });
  expect(await currentOf(datasetId)).toEqual([]);
  await requireExactCounts(ctx, datasetId);
  await expect(undoDecision(ctx, {})).rejects.toMatchObject({ code: "not_found" });
  expect((await approveCandidate(ctx, { candidateId })).outcome.status).toBe("created");
});

test("undo is refused once the Example has changed", async () => {
  const { ctx, datasetId } = await reviewers();
  const candidateId = await storedCandidate(ctx, datasetId);
  const { candidate } = await approveCandidate(ctx, { candidateId });
  await new Promise((resolve) => setTimeout(resolve, 5));
  await write(ctx, datasetId, [{ kind: "update", exampleId: candidate.exampleId!, patch: { tags: ["edited"] } }]);
  await expect(undoDecision(ctx, {})).rejects.toMatchObject({ code: "conflict" });
  expect((await getCandidate(ctx, { candidateId })).candidate.status).toBe("approved");
});

test("an edited approval and a pair are validated, and stored as edited", async () => {
  const { ctx, datasetId } = await reviewers();
  const candidateId = await storedCandidate(ctx, datasetId, { question: "Where is order 2?" });
  const worse = { type: "chat_message", message: { role: "assistant", content: "" } };
  await expect(approveCandidate(ctx, { candidateId, rejectedOutput: worse })).rejects.toMatchObject({
    code: "invalid",
    errors: [{ path: expect.stringMatching(/^\/rejectedOutput/) }],
  });
  await expect(approveCandidate(ctx, { candidateId, payload: { input: 1 } })).rejects.toMatchObject({
    errors: expect.arrayContaining([{ path: "/payload/input", message: expect.any(String) }]),
  });
  const pair = { type: "chat_message", message: { role: "assistant", content: "I do not know." } };
  const payload = smallPayload("Where is order 3?");
  await approveCandidate(ctx, { candidateId, payload, rejectedOutput: pair });
  expect((await currentOf(datasetId)).map((row) => row.payload)).toEqual([{ ...payload, rejectedOutput: pair }]);
});

test("a candidate with equal content is reported and rejected, and a rejection keeps its reason", async () => {
  const { ctx, datasetId } = await reviewers();
  const first = await storedCandidate(ctx, datasetId, { question: "The same?" });
  const second = await storedCandidate(ctx, datasetId, { question: "The same?" });
  const { candidate } = await approveCandidate(ctx, { candidateId: first });
  const again = await approveCandidate(ctx, { candidateId: second });
  expect(again.outcome).toEqual({ status: "duplicate", exampleId: candidate.exampleId, of: "content" });
  expect(again.candidate).toMatchObject({ status: "rejected", exampleId: null });
  const third = await storedCandidate(ctx, datasetId);
  await rejectCandidate(ctx, { candidateId: third, reason: "Too vague" });
  const { candidates } = await listReviewQueue(ctx, { status: "rejected", limit: 1 });
  expect(candidates).toMatchObject([{ id: third, rejectReason: "Too vague" }]);
  expect((await undoDecision(ctx, {})).candidate.id).toBe(third);
});

test("a candidate cannot be approved while its conversation is being changed", async () => {
  const { ctx, datasetId } = await reviewers();
  const candidateId = await storedCandidate(ctx, datasetId);
  const { conversationId } = (await getCandidate(ctx, { candidateId })).candidate.source;
  await whileChanged(conversationId, () =>
    expect(approveCandidate(ctx, { candidateId })).rejects.toThrow("is being changed or deleted. Retry in a moment."),
  );
  expect((await approveCandidate(ctx, { candidateId })).outcome).toMatchObject({ status: "created" });
});

test("a skipped candidate comes after all waiting ones", async () => {
  const { ctx, datasetId } = await reviewers();
  const first = await storedCandidate(ctx, datasetId);
  const second = await storedCandidate(ctx, datasetId);
  await skipCandidate(ctx, { candidateId: first });
  expect((await nextCandidate(ctx, {})).candidate!.id).toBe(second);
  await rejectCandidate(ctx, { candidateId: second, reason: "No" });
  expect((await nextCandidate(ctx, {})).candidate!.id).toBe(first);
});

test("candidates of another project or a deleted Dataset are not listed, taken or decided", async () => {
  const { ctx, datasetId } = await reviewers();
  const candidateId = await storedCandidate(ctx, datasetId);
  const { ctx: stranger } = await testProject();
  expect(await listReviewQueue(stranger, {})).toMatchObject({ candidates: [], counter: { waiting: 0 } });
  expect((await nextCandidate(stranger, {})).candidate).toBeNull();
  for (const refused of [
    () => getCandidate(stranger, { candidateId }),
    () => approveCandidate(stranger, { candidateId }),
    () => rejectCandidate(stranger, { candidateId, reason: "No" }),
  ])
    await expect(refused()).rejects.toMatchObject({ code: "not_found" });
  await db().execute(sql`update datasets set deleted_at = 1 where id = ${datasetId}`);
  expect((await listReviewQueue(ctx, {})).candidates).toEqual([]);
  await expect(approveCandidate(ctx, { candidateId })).rejects.toMatchObject({ code: "not_found" });
});

test("an approval that is killed changes neither the candidate nor the Dataset", async () => {
  const { ctx, datasetId } = await reviewers();
  const ids = [];
  for (let n = 0; n < 20; n += 1) ids.push(await storedCandidate(ctx, datasetId));
  for (const [n, candidateId] of ids.entries()) {
    // A killed process is a connection that ends: Postgres rolls back what it had not committed.
    await inTransaction(ctx, async (tx) => {
      await approveCandidate(tx, { candidateId });
      throw new Error("killed");
    }).catch(() => {});
    expect(await currentOf(datasetId)).toHaveLength(Math.ceil(n / 2));
    if (n % 2 === 0) await approveCandidate(ctx, { candidateId });
    else await rejectCandidate(ctx, { candidateId, reason: "No" });
  }
  await requireExactCounts(ctx, datasetId);
  expect((await listReviewQueue(ctx, {})).counter).toEqual({ waiting: 0, doneToday: 20, perHour: 20 });
});
