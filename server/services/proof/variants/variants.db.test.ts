import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { evaluationRows, evaluations } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createConnection, deleteConnection, modelConnections } from "@/server/services/connections";
import { createExample } from "@/server/services/datasets";
import { smallPayload } from "@/server/services/datasets/chat-payload/testing";
import { storedDataset } from "@/server/services/datasets/examples/testing";
import { updateRule } from "@/server/services/diagnostics";
import { type ReceivedQuestion, type Reply, startModel } from "@/server/services/diagnostics/adjudicator/testing";
import { decodeTraces, listConversations, projectPending, storeTraces } from "@/server/services/telemetry";
import { ANTHROPIC_KEY, AnthropicServer } from "@/testbed/servers/anthropic-server";
import {
  cancelEvaluation,
  createVariant,
  deleteVariant,
  estimateProof,
  faultyTurns,
  getEvaluation,
  getVariant,
  handOffVariant,
  listEvaluationRows,
  listVariants,
  proveVariant,
  recordedTurn,
  runEvaluation,
  tryVariant,
} from "..";
import { diagnosed, emptyAnswers, findingWith, questionOf } from "../testing/empty-answers";

process.env.OUTBOUND_ALLOW = "127.0.0.1";

const SYSTEM = "You help customers of a shop.\nAnswer in one sentence.\nToday is Monday.";
const BETTER = SYSTEM.replace("Answer in one sentence.", "Answer in one sentence.\nNever answer with nothing.");
const MODEL = "gpt-5-mini";

let model: Awaited<ReturnType<typeof startModel>>;
beforeAll(async () => {
  model = await startModel(() => ({ content: "" }));
});
afterAll(() => model.stop());
beforeEach(() => {
  model.asked.length = 0;
});

const isBetter = ({ system }: ReceivedQuestion) => system.includes("Never answer with nothing.");
const orderOf = ({ user }: ReceivedQuestion) => Number(/(\d+)$/.exec(user)?.[1]);
/** Says nothing to what was recorded, and where an order is to the changed prompt. */
const answering = (asked: ReceivedQuestion): Reply => ({
  content: isBetter(asked) ? `Order ${orderOf(asked)} is in Bern.` : "",
  usage: { prompt_tokens: 1_000, completion_tokens: 100 },
});

async function world() {
  const { ctx } = await testProject();
  const { connection } = await createConnection(ctx, {
    kind: "model",
    name: "A provider",
    baseUrl: model.url,
    secret: "sk-secret-of-the-provider",
  });
  model.answer = answering;
  const save = async (more: object = {}) => {
    const change = { name: "Say something", connectionId: connection.id, model: MODEL };
    return (await createVariant(ctx, { ...change, basedOn: SYSTEM, systemPrompt: BETTER, ...more })).variant;
  };
  const read = async (evaluationId: string) => (await getEvaluation(ctx, { evaluationId })).evaluation;
  const rows = async (evaluationId: string) => (await listEvaluationRows(ctx, { evaluationId })).rows;
  return { ctx, connectionId: connection.id, save, read, rows };
}

/** Stores a Finding of empty answers in this many conversations, each with a system prompt of its own. */
const findingOf = (ctx: Ctx, count: number, systemOf: (n: number) => string = () => SYSTEM) =>
  emptyAnswers(ctx, count, systemOf);

async function toEnd(ctx: Ctx, id: string) {
  for (let n = 0; n < 40; n += 1) {
    const { done, waits } = await runEvaluation(ctx, id);
    if (done || waits) return { done, waits };
  }
  throw new Error("It does not end.");
}

test("a version is saved under a name, never changes, and is another project's 404", async () => {
  const { ctx, save, connectionId } = await world();
  const { ctx: other } = await testProject();
  const [one, two] = await Promise.all([save(), save({ name: "say something", note: "Shorter." })]);
  expect([one.version, two.version].toSorted()).toEqual([1, 2]);
  expect((await listVariants(ctx, {})).variants).toHaveLength(2);
  expect((await getVariant(ctx, { variantId: one.id })).variant).toMatchObject({
    connectionId,
    connectionName: "A provider",
    basedOn: SYSTEM,
    systemPrompt: BETTER,
  });
  await expect(getVariant(other, { variantId: one.id })).rejects.toMatchObject({ code: "not_found" });
  await expect(deleteVariant(other, { variantId: one.id })).rejects.toMatchObject({ code: "not_found" });
  await expect(save({ connectionId: "conn_none" })).rejects.toMatchObject({ code: "unprocessable" });
  await deleteVariant(ctx, { variantId: two.id });
  expect((await save()).version).toBe(one.version + 1);
});

test("a prompt is proven on a Finding's conversations: both answers are new, with the change where each prompt has it", async () => {
  const { ctx, save, read, rows, connectionId } = await world();
  const { findingId, conversations } = await findingOf(ctx, 12, (n) => SYSTEM.replace("Monday", `day ${n}`));
  const variant = await save({ findingId, seenConversationIds: [conversations[0]!] });
  const started = await proveVariant(ctx, { variantId: variant.id, findingId, maxCost: 1 });
  expect(started.evaluation).toMatchObject({
    kind: "finding",
    checkpointId: null,
    variantId: variant.id,
    trainerId: null,
    total: 11,
    before: { name: `${MODEL}, as recorded`, model: MODEL },
    after: { name: "Say something, version 1", variantId: variant.id },
    selection: { trainedOn: 1 },
    maxCost: 1,
  });
  expect(await toEnd(ctx, started.evaluation.id)).toEqual({ done: true, waits: false });
  const ended = await read(started.evaluation.id);
  expect(ended).toMatchObject({ status: "succeeded", proof: { n: 11, foundBefore: 11, foundAfter: 0 } });
  // Each of 22 calls: 1,000 tokens of input and 100 of output at the default price of the model.
  expect(ended.cost).toBeCloseTo(22 * (1_000 * 0.25e-6 + 100 * 2e-6), 9);
  expect(model.asked).toHaveLength(22);
  const changed = model.asked.filter(isBetter);
  expect(new Set(changed.map(({ system }) => system)).size).toBe(11);
  expect(changed[0]!.system).toMatch(/Never answer with nothing\.\nToday is day \d+\./);
  expect(model.asked.every(({ headers }) => headers.authorization === "Bearer sk-secret-of-the-provider")).toBe(true);
  expect((await rows(ended.id))[0]).toMatchObject({
    before: { content: "" },
    after: { content: expect.stringMatching(/Bern/) },
  });

  // The same again is not asked again, whoever asks.
  const estimate = (await estimateProof(ctx, { variantId: variant.id, findingId })).estimate;
  expect(estimate).toMatchObject({ rows: 11, requests: 0, known: 22, cost: 0, unpriced: [], notApplied: 0 });
  expect(estimate.baseline).toEqual({ connectionId, deploymentId: null, baseModel: null, model: MODEL });
  const again = await proveVariant(ctx, { variantId: variant.id, findingId });
  await toEnd(ctx, again.evaluation.id);
  expect(model.asked).toHaveLength(22);
  expect(await read(again.evaluation.id)).toMatchObject({ cost: 0, proof: { n: 11, foundAfter: 0 } });

  const { text } = await handOffVariant(ctx, { variantId: variant.id });
  expect(text).toContain("+Never answer with nothing.");
  expect(text).toContain("in 11 answers before and in 0 after");
  expect(text).toContain("is in Bern.");
});

test("a model of Anthropic's is tried and proven beside what runs today, within its limit in US dollars", async () => {
  const { ctx, save, read, rows } = await world();
  const claude = await new AnthropicServer().start();
  onTestFinished(() => claude.stop());
  claude.words = ["It is in Bern."];
  Object.assign(claude.usage, { cache_read_input_tokens: 0, cache_creation_input_tokens: 0, cache_creation: null });
  const given = { kind: "model" as const, name: "Claude", baseUrl: claude.url, secret: ANTHROPIC_KEY };
  const { connection } = await createConnection(ctx, { ...given, settings: { dialect: "anthropic" } });
  const { findingId, conversations } = await findingOf(ctx, 6);
  const change = { connectionId: connection.id, model: "claude-sonnet-4-5", parameters: { maxTokens: 500 } };
  const usd = (600 * 3 + 100 * 15) / 1e6;
  const conversationId = conversations[0]!;
  const tried = await tryVariant(ctx, {
    conversationId,
    messageIndex: 2,
    basedOn: SYSTEM,
    systemPrompt: BETTER,
    ...change,
  });
  expect(tried.answer).toMatchObject({ content: "It is in Bern.", tokens: { input: 600, output: 100 } });
  expect(tried.answer!.cost).toBeCloseTo(usd, 9);
  expect(claude.received[0]!.body).toMatchObject({ max_tokens: 500, system: [{ text: BETTER }] });

  const variant = await save(change);
  const choice = { variantId: variant.id, findingId, baselineConnectionId: (await modelConnections(ctx))[0]!.id };
  const { evaluation } = await proveVariant(ctx, { ...choice, baselineModel: MODEL, maxCost: 1 });
  expect(await toEnd(ctx, evaluation.id)).toEqual({ done: true, waits: false });
  const ended = await read(evaluation.id);
  expect(ended).toMatchObject({ status: "succeeded", proof: { n: 6, foundBefore: 6, foundAfter: 0 } });
  expect(ended.cost).toBeCloseTo(6 * usd + 6 * (1_000 * 0.25e-6 + 100 * 2e-6), 9);
  expect((await rows(evaluation.id)).map(({ after }) => after?.content)).toEqual(Array(6).fill("It is in Bern."));
  expect(claude.received).toHaveLength(1 + 6);

  // Longer than anybody waits for one answer.
  claude.refusal = { status: 529, message: "Overloaded", headers: { "retry-after": "200" } };
  const second = await save({ ...change, systemPrompt: `${BETTER} Please.` });
  const later = await proveVariant(ctx, { ...choice, variantId: second.id, baselineModel: MODEL });
  const waiting = await runEvaluation(ctx, later.evaluation.id);
  expect(waiting).toEqual({ done: false, waits: true });
  claude.refusal = null;
  await toEnd(ctx, later.evaluation.id);
  expect(await read(later.evaluation.id)).toMatchObject({ status: "succeeded", proof: { foundAfter: 0 } });
});

test("asking stops at the limit in US dollars, and what was answered counts", async () => {
  const { ctx, save, read, rows } = await world();
  const { findingId } = await findingOf(ctx, 12);
  const variant = await save();
  // Room for the most that one call may cost, and for what nine cost: four rows are asked at the same time, and wait for it.
  const { evaluation } = await proveVariant(ctx, { variantId: variant.id, findingId, maxCost: 0.012 });
  await toEnd(ctx, evaluation.id);
  const ended = await read(evaluation.id);
  expect(ended.status).toBe("succeeded");
  expect(ended.cost).toBeLessThanOrEqual(0.012);
  expect(ended.proof!.n).toBeGreaterThan(1);
  expect(ended.proof!.n).toBeLessThan(5);
  expect((await rows(evaluation.id)).filter(({ reason }) => reason === "over_budget").length).toBe(12 - ended.proof!.n);
  await expect(
    proveVariant(ctx, { variantId: (await save({ model: "unheard-of" })).id, findingId, maxCost: 1 }),
  ).rejects.toMatchObject({ code: "unprocessable", message: expect.stringMatching(/price of unheard-of is unknown/) });
});

test("an endpoint that reports no usage cannot pass the limit: what was held back for its answers stays spent", async () => {
  const { ctx, save, read } = await world();
  const { findingId } = await findingOf(ctx, 6);
  model.answer = (asked) => ({ ...(answering(asked) as { content: string }), usage: null });
  const { evaluation } = await proveVariant(ctx, { variantId: (await save()).id, findingId, maxCost: 0.02 });
  await toEnd(ctx, evaluation.id);
  // An answer may have 4,096 tokens, at 2 US dollars a million.
  expect(model.asked).toHaveLength(2);
  const { cost } = await read(evaluation.id);
  expect(cost).toBeGreaterThan(2 * 4_096 * 2e-6);
  expect(cost).toBeLessThanOrEqual(0.02);
});

test("an interrupted evaluation goes on where it was, and one that was cancelled asks nothing more", async () => {
  const { ctx, save, read } = await world();
  const { findingId } = await findingOf(ctx, 6);
  const variant = await save();
  const { evaluation } = await proveVariant(ctx, { variantId: variant.id, findingId });
  // The connection breaks as if this process had been killed: what was answered is stored.
  model.answer = (asked) => (model.asked.length > 5 ? (response) => response.destroy() : answering(asked));
  expect(await runEvaluation(ctx, evaluation.id)).toEqual({ done: false, waits: true });
  expect((await read(evaluation.id)).staleSince).not.toBeNull();
  const answered = (
    await ctx.db.select().from(evaluationRows).where(eq(evaluationRows.evaluationId, evaluation.id))
  ).filter(({ before }) => before !== null).length;
  expect(answered).toBeGreaterThan(0);
  model.answer = answering;
  model.asked.length = 0;
  await toEnd(ctx, evaluation.id);
  expect(await read(evaluation.id)).toMatchObject({ status: "succeeded", staleSince: null, proof: { n: 6 } });
  expect(model.asked.filter((one) => !isBetter(one))).toHaveLength(6 - answered);

  const other = await proveVariant(ctx, { variantId: (await save({ model: "gpt-5" })).id, findingId });
  await cancelEvaluation(ctx, { evaluationId: other.evaluation.id });
  model.asked.length = 0;
  expect(await runEvaluation(ctx, other.evaluation.id)).toEqual({ done: true, waits: false });
  expect(model.asked).toHaveLength(0);
});

test("what a model refuses ends an evaluation with the reason, and a question that it does not answer is counted", async () => {
  const { ctx, connectionId, save, read, rows } = await world();
  const { findingId } = await findingOf(ctx, 3);
  const one = await proveVariant(ctx, { variantId: (await save()).id, findingId });
  model.answer = () => (response) => response.writeHead(401).end("{}");
  await toEnd(ctx, one.evaluation.id);
  expect(await read(one.evaluation.id)).toMatchObject({
    status: "failed",
    error: { code: "model_refused", message: expect.stringMatching(/refused the key \(401\)/) },
  });
  const two = await proveVariant(ctx, { variantId: (await save()).id, findingId });
  model.answer = (asked) =>
    orderOf(asked) === 1
      ? (response) =>
          response
            .writeHead(400)
            .end(JSON.stringify({ error: { code: "context_length_exceeded", message: "too long" } }))
      : answering(asked);
  await toEnd(ctx, two.evaluation.id);
  expect(await read(two.evaluation.id)).toMatchObject({ status: "succeeded", proof: { n: 2 } });
  expect((await rows(two.evaluation.id)).map(({ reason }) => reason)).toContain("not_answered");
  const three = await proveVariant(ctx, { variantId: (await save({ model: "gpt-5" })).id, findingId });
  await deleteConnection(ctx, { connectionId });
  await toEnd(ctx, three.evaluation.id);
  expect(await read(three.evaluation.id)).toMatchObject({ status: "failed" });
});

test("a prompt without the lines that change is left out and counted", async () => {
  const { ctx, save, rows, read } = await world();
  const { findingId } = await findingOf(ctx, 3, (n) => (n === 0 ? "You translate to German." : SYSTEM));
  const variant = await save();
  expect((await estimateProof(ctx, { variantId: variant.id, findingId })).estimate).toMatchObject({
    rows: 3,
    notApplied: 1,
  });
  const { evaluation } = await proveVariant(ctx, { variantId: variant.id, findingId });
  await toEnd(ctx, evaluation.id);
  expect(await read(evaluation.id)).toMatchObject({ proof: { n: 2 } });
  expect((await rows(evaluation.id)).filter(({ reason }) => reason === "not_applied")).toHaveLength(1);
});

test("held-out Examples are answered by a variant and by what runs today, and compared with the expected answers", async () => {
  const { ctx, save, read } = await world();
  const datasetId = await storedDataset(ctx);
  for (let n = 0; n < 3; n += 1) {
    const payload = smallPayload(questionOf(n), `Order ${n} is in Bern.`);
    await createExample(ctx, { datasetId, split: n === 0 ? "train" : "test", payload });
  }
  const variant = await save({ basedOn: null });
  const { evaluation } = await proveVariant(ctx, { variantId: variant.id, datasetId });
  expect(evaluation).toMatchObject({ kind: "examples", total: 2, datasetId, datasetVersion: 1 });
  await toEnd(ctx, evaluation.id);
  expect(await read(evaluation.id)).toMatchObject({ status: "succeeded", comparison: { win: 2, loss: 0 } });
  await expect(proveVariant(ctx, { variantId: variant.id, datasetId: "ds_none" })).rejects.toMatchObject({
    code: "not_found",
  });
});

test("a change is tried on one faulty answer before it is saved", async () => {
  const { ctx, connectionId } = await world();
  const { ctx: other } = await testProject();
  const { findingId, conversations } = await findingOf(ctx, 2);
  const { turns, problem } = await faultyTurns(ctx, { findingId });
  expect(problem).toBeNull();
  expect(turns).toHaveLength(2);
  const [turn] = turns;
  const one = { conversationId: turn!.conversationId, messageIndex: 2 };
  expect((await recordedTurn(ctx, one)).turns).toEqual([turn]);
  expect(await recordedTurn(ctx, { ...one, messageIndex: 1 })).toMatchObject({
    turns: [],
    problem: "This message is no answer to a user.",
  });
  await expect(recordedTurn(other, one)).rejects.toThrow(/not found/);
  expect(turn).toMatchObject({ messageIndex: 2, recorded: "", prompt: [{ role: "system", content: SYSTEM }, {}] });
  const change = {
    connectionId,
    model: MODEL,
    basedOn: SYSTEM,
    systemPrompt: BETTER,
    parameters: { temperature: 0.5 },
  };
  const tried = await tryVariant(ctx, { conversationId: conversations[0]!, messageIndex: 2, ...change });
  expect(tried).toMatchObject({ recorded: "", answer: { content: "Order 0 is in Bern." }, problem: null });
  expect(model.asked[0]!.body).toMatchObject({ model: MODEL, temperature: 0.5 });
  await expect(
    tryVariant(ctx, { conversationId: conversations[0]!, messageIndex: 1, ...change }),
  ).rejects.toMatchObject({ code: "unprocessable" });
  await expect(faultyTurns(other, { findingId })).rejects.toMatchObject({ code: "not_found" });
  await expect(tryVariant(other, { conversationId: conversations[0]!, messageIndex: 2, ...change })).rejects.toThrow(
    /not found/,
  );
  expect(await ctx.db.$count(evaluations, eq(evaluations.projectId, ctx.projectId))).toBe(0);
});

const TOOL = {
  type: "function",
  function: {
    name: "track",
    description: "Tracks.",
    parameters: { type: "object", properties: { order: { type: "number" } } },
  },
};

/** Sends a conversation in which the assistant called a tool and then said "Sunny." */
async function sendWithTools(ctx: Ctx, n: number) {
  const part = (text: string) => [{ type: "text", content: text }];
  const input = [
    { role: "system", parts: part(SYSTEM) },
    { role: "user", parts: part(questionOf(n)) },
    { role: "assistant", parts: [{ type: "tool_call", id: `call_${n}`, name: "track", arguments: { order: n } }] },
    { role: "tool", parts: [{ type: "tool_call_response", id: `call_${n}`, response: `Order ${n}: Bern` }] },
  ];
  const attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-5-nano",
    "gen_ai.conversation.id": `tools-${n}`,
    "gen_ai.tool.definitions": JSON.stringify([TOOL]),
    "gen_ai.input.messages": JSON.stringify(input),
    "gen_ai.output.messages": JSON.stringify([{ role: "assistant", parts: part("Sunny."), finish_reason: "stop" }]),
  };
  const hex = (digits: number) => (n + 1).toString(16).padStart(digits, "0");
  const span = {
    traceId: hex(32),
    spanId: hex(16),
    name: "chat",
    kind: 3,
    startTimeUnixNano: `${Date.now() - 60_000}000000`,
    endTimeUnixNano: `${Date.now() - 59_000}000000`,
    attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
  };
  const body = { resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] };
  await storeTraces(ctx, decodeTraces(Buffer.from(JSON.stringify(body)), "json"));
}

test("recorded results are played back to calls that the conversation made, and another call ends its row", async () => {
  const { ctx, save, rows, read } = await world();
  await updateRule(ctx, { ruleId: "broken-response", configuration: { keywords: ["sunny"] } });
  for (let n = 0; n < 3; n += 1) await sendWithTools(ctx, n);
  while ((await projectPending(ctx.db)) > 0);
  for (const { id, lastActivityAt } of (await listConversations(ctx, {})).conversations)
    await diagnosed(ctx, { id, lastActivityAt });
  const findingId = await findingWith(ctx, "keyword");
  const call = (n: number) => ({
    message: {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "call_new", type: "function", function: { name: "track", arguments: `{"order": ${n}}` } }],
    },
    finish_reason: "tool_calls",
  });
  model.answer = (asked) => {
    if (!isBetter(asked)) return { content: "Sunny." };
    const messages = asked.body.messages as { role: string; content: string }[];
    const last = messages.at(-1)!;
    const n = orderOf(asked);
    // It asks once more: for the same order or, in the last conversation, for another one.
    if (messages.filter(({ role }) => role === "tool").length === 1)
      return (response) =>
        response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ model: MODEL, choices: [call(n === 2 ? 99 : n)], usage: null }));
    return { content: `It says: ${last.content}` };
  };
  const variant = await save({ toolDescriptions: { track: "Tracks. Say what it returns." } });
  const { evaluation } = await proveVariant(ctx, { variantId: variant.id, findingId });
  expect(evaluation).toMatchObject({ total: 3, before: { model: "gpt-5-nano" } });
  await toEnd(ctx, evaluation.id);
  expect(await read(evaluation.id)).toMatchObject({
    status: "succeeded",
    proof: { n: 2, foundBefore: 2, foundAfter: 0 },
  });
  const listed = await rows(evaluation.id);
  expect(listed.map(({ reason }) => reason).filter((reason) => reason === "other_tool_call")).toHaveLength(1);
  expect(
    listed
      .map(({ after }) => after?.content)
      .filter(Boolean)
      .toSorted(),
  ).toEqual(["It says: Order 0: Bern", "It says: Order 1: Bern"]);
  const [tools] = model.asked.filter(isBetter).map(({ body }) => body.tools as (typeof TOOL)[]);
  expect(tools![0]!.function).toMatchObject({ description: "Tracks. Say what it returns." });
});
