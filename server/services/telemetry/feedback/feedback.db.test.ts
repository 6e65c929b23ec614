import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { conversations } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { deleteConversation, deleteUserData, runDeletion } from "@/server/services/deletion";
import {
  attachOverlooked,
  createFeedback,
  decodeTraces,
  deleteWaitingFeedback,
  listFeedback,
  projectPending,
  storeTraces,
  updateMasking,
} from "..";
import { tracesJson } from "../otlp/testing/encode-otlp";
import { chatSpan, ingest } from "../testing";

const hex = (length: number) => crypto.randomUUID().replaceAll("-", "").slice(0, length);
const SESSION = { "gen_ai.conversation.id": "chat-1", "user.id": "ann" };

/** Two turns, each in a trace of its own. */
async function twoTurns(ctx: Ctx, attributes: Record<string, unknown> = SESSION) {
  const [first, second] = [
    { traceId: hex(32), spanId: hex(16) },
    { traceId: hex(32), spanId: hex(16) },
  ];
  const at = Date.UTC(2026, 10, 1, 12);
  await ingest(ctx, [
    chatSpan({ ...first, startMs: at, attributes }, { input: [["user", "Where is my order?"]], output: "On its way." }),
    chatSpan(
      { ...second, startMs: at + 60_000, attributes },
      {
        input: [
          ["user", "Where is my order?"],
          ["assistant", "On its way."],
          ["user", "Since when?"],
        ],
        output: "Since Monday.",
      },
    ),
  ]);
  return { first, second };
}

const all = async (ctx: Ctx, filters: Parameters<typeof listFeedback>[1] = {}) =>
  (await listFeedback(ctx, filters)).feedback;
const thumb = (value: string | boolean | number, more: object = {}) =>
  ({ conversationId: "chat-1", kind: "thumb", value, ...more }) as const;
const isDue = async (ctx: Ctx) => {
  const [row] = await db().execute<{ due: boolean }>(sql`
    select diagnosed_received_at is distinct from received_at as due from conversations where project_id = ${ctx.projectId}`);
  return row?.due;
};

test("feedback is shown at the message of its span, of its trace, or on the conversation", async () => {
  const { ctx } = await testProject();
  const { first, second } = await twoTurns(ctx);
  await createFeedback(ctx, thumb("down", first));
  await createFeedback(ctx, { conversationId: "chat-1", traceId: second.traceId, kind: "score", value: 2 });
  await createFeedback(ctx, { conversationId: "chat-1", kind: "comment", value: "Slow." });
  expect(await all(ctx, { conversationId: "chat-1" })).toMatchObject([
    { kind: "comment", value: "Slow.", messageIndex: null },
    { kind: "score", value: 2, messageIndex: 3 },
    { kind: "thumb", value: "down", messageIndex: 1, conversationExternalId: "chat-1", givenByUser: true },
  ]);
});

test("repeated feedback is stored once, and a changed thumb replaces the earlier one", async () => {
  const { ctx } = await testProject();
  await twoTurns(ctx);
  const { feedback: once } = await createFeedback(ctx, thumb("up"));
  const { feedback: again } = await createFeedback(ctx, thumb(true));
  expect(again).toEqual(once);
  const { feedback: changed } = await createFeedback(ctx, thumb(-1, { comment: "Wrong order" }));
  expect(changed).toMatchObject({ id: once.id, value: "down", comment: "Wrong order" });
  await createFeedback(ctx, { conversationId: "chat-1", kind: "comment", value: "One" });
  await createFeedback(ctx, { conversationId: "chat-1", kind: "comment", value: "Two" });
  await createFeedback(ctx, { conversationId: "chat-1", kind: "comment", value: "Two" });
  expect((await all(ctx)).map(({ value }) => value).sort()).toEqual(["One", "Two", "down"]);
});

test("feedback sent before its telemetry is attached later, by the client's conversation id or by trace", async () => {
  const { ctx } = await testProject();
  const span = { traceId: hex(32), spanId: hex(16) };
  const { feedback: early } = await createFeedback(ctx, thumb("down", span));
  expect(early).toMatchObject({ conversationId: null, conversationExternalId: "chat-1", messageIndex: null });
  expect(await all(ctx, { conversationId: "chat-1" })).toHaveLength(1);
  await createFeedback(ctx, {
    ...thumb("up", { traceId: span.traceId }),
    conversationId: "an id that telemetry lacks",
  });
  await ingest(ctx, [chatSpan({ ...span, attributes: SESSION })]);
  const attached = await all(ctx, { conversationId: "chat-1" });
  expect(attached).toMatchObject([{ messageIndex: 1 }, { id: early.id, messageIndex: 1 }]);
  expect(attached[0]!.conversationId).toMatch(/^conv_/);
});

test("new and changed feedback makes the conversation due for diagnosis, repeated feedback does not", async () => {
  const { ctx } = await testProject();
  await twoTurns(ctx);
  const diagnosed = () =>
    db()
      .update(conversations)
      .set({ diagnosedReceivedAt: sql`received_at` })
      .where(eq(conversations.projectId, ctx.projectId));
  await diagnosed();
  await createFeedback(ctx, thumb("up"));
  expect(await isDue(ctx)).toBe(true);
  await diagnosed();
  await createFeedback(ctx, thumb("up"));
  expect(await isDue(ctx)).toBe(false);
  await createFeedback(ctx, thumb("down"));
  expect(await isDue(ctx)).toBe(true);
});

test("feedback that missed concurrent telemetry is attached by the next sweep, which makes the conversation due", async () => {
  const { ctx } = await testProject();
  await twoTurns(ctx);
  await createFeedback(ctx, thumb("down"));
  // As if neither transaction had seen the other.
  await db().execute(sql`update feedback set conversation_id = null where project_id = ${ctx.projectId}`);
  await db().execute(
    sql`update conversations set diagnosed_received_at = received_at where project_id = ${ctx.projectId}`,
  );
  expect(await all(ctx, { conversationId: "chat-1" })).toMatchObject([{ conversationId: null }]);
  await attachOverlooked(db());
  expect((await all(ctx, { conversationId: "chat-1" }))[0]!.conversationId).toMatch(/^conv_/);
  expect(await isDue(ctx)).toBe(true);
});

test("feedback moves with its trace to the conversation that a late span names", async () => {
  const { ctx } = await testProject();
  const span = { traceId: hex(32), spanId: hex(16) };
  await twoTurns(ctx);
  const [before] = await all(ctx);
  expect(before).toBeUndefined();
  await ingest(ctx, [chatSpan(span, { output: "Alone." })]);
  const [lone] = await db().execute<{ id: string }>(
    sql`select id from conversations where project_id = ${ctx.projectId} and external_id is null`,
  );
  await createFeedback(ctx, { conversationId: lone!.id, kind: "thumb", value: "down" });
  await createFeedback(ctx, { conversationId: lone!.id, ...span, kind: "score", value: 1 });
  await ingest(ctx, [{ traceId: span.traceId, spanId: hex(16), name: "late", attributes: SESSION }]);
  expect(await all(ctx, { conversationId: "chat-1" })).toMatchObject([{ kind: "score" }, { kind: "thumb" }]);
});

test("an invalid value, scale or trace id is rejected with its path", async () => {
  const { ctx } = await testProject();
  for (const [input, path] of [
    [thumb("sideways"), ["value"]],
    [{ conversationId: "c", kind: "score", value: "four" }, ["value"]],
    [{ conversationId: "c", kind: "comment", value: 4 }, ["value"]],
    [{ conversationId: "c", kind: "score", value: 6, scale: { min: 1, max: 5 } }, ["value"]],
    [thumb("up", { scale: { min: 0, max: 1 } }), ["scale"]],
    [thumb("up", { traceId: "no trace" }), ["traceId"]],
  ] as const) {
    await expect(createFeedback(ctx, input as Parameters<typeof createFeedback>[1])).rejects.toMatchObject({
      issues: [{ path }],
    });
  }
});

test("evaluation events and Logfire's annotations become feedback, and only a user's ratings count as given by a user", async () => {
  const { ctx } = await testProject();
  const traceId = hex(32);
  const call = hex(16);
  const start = Date.UTC(2026, 10, 1, 12);
  const body = (comment: string) =>
    tracesJson([
      {
        traceId,
        spanId: call,
        name: "chat",
        start,
        end: start + 500,
        attributes: {
          "gen_ai.operation.name": "chat",
          "gen_ai.conversation.id": "chat-1",
          "gen_ai.input.messages": JSON.stringify([{ role: "user", content: "Hi" }]),
          "gen_ai.output.messages": JSON.stringify([{ role: "assistant", content: "Hello" }]),
        },
        events: [
          {
            name: "gen_ai.evaluation.result",
            at: start + 100,
            attributes: { "gen_ai.evaluation.name": "toxicity", "gen_ai.evaluation.score.value": 0.01 },
          },
          {
            name: "gen_ai.evaluation.result",
            at: start + 200,
            attributes: {
              "gen_ai.evaluation.name": "user_rating",
              "gen_ai.evaluation.score.value": 2,
              "gen_ai.evaluation.explanation": "Not helpful",
            },
          },
        ],
      },
      {
        traceId,
        spanId: "00000000000000aa",
        parentSpanId: call,
        name: "feedback: thumbs",
        start: start + 600,
        end: start + 600,
        attributes: { "logfire.feedback.name": "thumbs", thumbs: false, "logfire.feedback.comment": comment },
      },
    ]);
  const send = async (comment: string) => {
    await storeTraces(ctx, decodeTraces(body(comment), "json", Date.now()));
    while ((await projectPending(db())) > 0);
  };
  await send("the agent lied");
  await send("the agent lied");
  expect(await all(ctx, { conversationId: "chat-1" })).toMatchObject([
    { kind: "thumb", value: "down", comment: "the agent lied", givenByUser: true, messageIndex: 1, source: "otlp" },
    { kind: "score", value: 2, name: "user_rating", comment: "Not helpful", givenByUser: true, messageIndex: 1 },
    { kind: "score", value: 0.01, name: "toxicity", givenByUser: false },
  ]);
});

test("annotations and evaluations of OpenInference become results of people, models and programs", async () => {
  const { ctx } = await testProject();
  const startMs = Date.UTC(2026, 10, 1, 12);
  const attributes = {
    ...SESSION,
    "openinference.span.kind": "LLM",
    "annotations.0.annotation.name": "correctness",
    "annotations.0.annotation.score": 0.2,
    "annotations.0.annotation.explanation": "The order has arrived.",
    "annotations.0.annotation.annotator_kind": "HUMAN",
    "annotations.1.annotation.name": "user_frustration",
    "annotations.1.annotation.label": "frustrated",
    "annotations.1.annotation.annotator_kind": "LLM",
    "trace.evaluations.0.evaluation.name": "json_valid",
    "trace.evaluations.0.evaluation.score": 1,
    "trace.evaluations.0.evaluation.annotator_kind": "CODE",
  };
  await ingest(ctx, [
    chatSpan({ traceId: hex(32), spanId: hex(16), startMs, attributes }, { input: [["user", "Hi"]], output: "Hello" }),
  ]);
  const feedback = await all(ctx, { conversationId: "chat-1" });
  expect(feedback).toHaveLength(3);
  expect(feedback).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        name: "correctness",
        value: 0.2,
        comment: "The order has arrived.",
        givenByUser: true,
      }),
      // Its name alone would count as a user's word.
      expect.objectContaining({
        name: "user_frustration",
        value: "frustrated",
        evaluatorKind: "model",
        givenByUser: false,
      }),
      expect.objectContaining({
        name: "json_valid",
        value: 1,
        evaluatorKind: "code",
        givenByUser: false,
        messageIndex: 1,
      }),
    ]),
  );
});

test("an evaluator's result sent to the API needs its name, and stands beside a user's feedback on the same turn", async () => {
  const { ctx } = await testProject();
  await twoTurns(ctx);
  const score = { conversationId: "chat-1", kind: "score", value: 0.1, evaluatorKind: "model" } as const;
  await expect(createFeedback(ctx, score)).rejects.toMatchObject({ issues: [{ path: ["name"] }] });
  for (const name of ["relevance", "toxicity"]) await createFeedback(ctx, { ...score, name });
  await createFeedback(ctx, { ...score, name: "relevance", value: 0.2 });
  await createFeedback(ctx, { conversationId: "chat-1", kind: "score", value: 5 });
  expect(await all(ctx)).toMatchObject([
    { name: null, value: 5, evaluatorKind: "human", givenByUser: true },
    { name: "relevance", value: 0.2, evaluatorKind: "model", givenByUser: false },
    { name: "toxicity", value: 0.1, evaluatorKind: "model", givenByUser: false },
  ]);
});

test("feedback is masked if the project masks message text", async () => {
  const { ctx } = await testProject();
  await updateMasking(ctx, { messages: true });
  const { feedback } = await createFeedback(ctx, {
    conversationId: "chat-1",
    kind: "comment",
    value: "My password=hunter2zulu did not work",
  });
  expect(feedback.value).not.toContain("hunter2zulu");
});

test("feedback is deleted with its conversation, with its user's data, or if it is never attached", async () => {
  const { ctx } = await testProject();
  await twoTurns(ctx);
  await createFeedback(ctx, thumb("down"));
  await deleteConversation(ctx, { conversationId: "chat-1" });
  expect(await all(ctx)).toEqual([]);

  await twoTurns(ctx, { "gen_ai.conversation.id": "chat-2", "user.id": "bob" });
  await createFeedback(ctx, { ...thumb("down"), conversationId: "chat-2" });
  const { deletion } = await deleteUserData(ctx, { userId: "bob" });
  while (!(await runDeletion(db(), deletion.id, { forMs: 10_000, jobName: "test" })).done);
  expect(await all(ctx)).toEqual([]);

  await createFeedback(ctx, { ...thumb("down"), conversationId: "chat-3" });
  expect(await deleteWaitingFeedback(ctx, Date.now() - 60_000, 10)).toBe(0);
  expect(await deleteWaitingFeedback(ctx, Date.now() + 60_000, 10)).toBe(1);
});

test("another project's feedback is not listed, changed or attached", async () => {
  const { ctx: theirs } = await testProject();
  const { ctx: ours } = await testProject();
  await twoTurns(theirs);
  await createFeedback(theirs, thumb("down"));
  const { feedback } = await createFeedback(ours, thumb("up"));
  expect(feedback.conversationId).toBeNull();
  expect(await all(theirs)).toMatchObject([{ value: "down" }]);
  expect(await all(ours, { conversationId: "chat-1" })).toMatchObject([{ value: "up", conversationId: null }]);
  const [conversation] = await db().execute<{ id: string }>(
    sql`select id from conversations where project_id = ${theirs.projectId}`,
  );
  expect(await all(ours, { conversationId: conversation!.id })).toEqual([]);
});

test("lists are paginated without gaps, and filtered by conversation and kind", async () => {
  const { ctx } = await testProject();
  for (let n = 0; n < 7; n++) {
    await createFeedback(ctx, {
      conversationId: `chat-${n % 2}`,
      kind: n % 3 === 0 ? "comment" : "correction",
      value: `${n}`,
    });
  }
  const seen: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await listFeedback(ctx, { limit: 2, cursor });
    seen.push(...page.feedback.map(({ value }) => value));
    cursor = page.pagination.nextCursor ?? undefined;
  } while (cursor);
  expect([...seen].sort()).toEqual(["0", "1", "2", "3", "4", "5", "6"]);
  expect(await all(ctx, { kind: "comment" })).toHaveLength(3);
  expect(await all(ctx, { kind: "correction", conversationId: "chat-1" })).toHaveLength(2);
});
