import { createHash } from "node:crypto";
import { getHeapStatistics } from "node:v8";
import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";
import { datasets, datasetVersions, trainingManifests } from "@/db/schema";
import { collectGarbage } from "@/db/testing/live-memory";
import { testProject } from "@/db/testing/test-project";
import { amount } from "@/scripts/lib/testing/amounts.mjs";
import { type Ctx, inTransaction } from "@/server/platform/context";
import { canonicalJson } from "@/server/platform/json/canonical-json";
import { parseExactJson } from "@/server/platform/json/exact-json";
import { countTrainingExamples, forgetExamples, isUnchanged, ofUser } from "@/server/services/datasets";
import type { ChatPayload } from "@/server/services/datasets/chat-payload/schemas";
import { fullPayload, smallPayload } from "@/server/services/datasets/chat-payload/testing";
import { storedDataset, creating as storing, write } from "@/server/services/datasets/examples/testing";
import { storedConversation } from "@/server/services/diagnostics/testing";
import { openFile } from "@/server/services/files";
import { storeManyExamples } from "../testing/store-many-examples";
import { freezeExamples, type Manifest } from "./freeze-examples";

async function world() {
  const { ctx } = await testProject();
  return { ctx, datasetId: await storedDataset(ctx) };
}
const creating: typeof storing = (question, more) => storing(question, { split: "train", ...more });
const rejectedOutput = { type: "chat_message" as const, message: { role: "assistant" as const, content: "No idea." } };
const paired = (question: string) => creating(question, { payload: { ...smallPayload(question), rejectedOutput } });

async function linesOf(ctx: Ctx, { fileId }: Manifest) {
  const file = await openFile(ctx, fileId as string);
  const bytes = Buffer.from(await file.read(0, file.size));
  return { bytes, lines: bytes.toString().trimEnd().split("\n") };
}
const rowsIn = async (ctx: Ctx, manifest: Manifest) =>
  (await linesOf(ctx, manifest)).lines.slice(1).map((line) => JSON.parse(line));

test("a manifest has one split as canonical JSON lines, and is named by the hash of its bytes", async () => {
  const { ctx, datasetId } = await world();
  await write(ctx, datasetId, [
    creating("one", { payload: fullPayload() }),
    creating("two"),
    creating("held out", { split: "validation" }),
    creating("for the end", { split: "test" }),
  ]);
  const { train, validation, datasetVersion } = await freezeExamples(ctx, { datasetId, method: "sft" });
  expect(datasetVersion).toBe(1);
  expect([train.rows, validation?.rows]).toEqual([2, 1]);
  const { bytes, lines } = await linesOf(ctx, train);
  expect(createHash("sha256").update(bytes).digest("hex")).toBe(train.sha256);
  expect(bytes.length).toBe(train.bytes);
  const [header, ...rows] = lines.map((line) => JSON.parse(line));
  expect(header).toEqual({
    manifest_version: 1,
    method: "sft",
    rows: 2,
    schema: "chat.v1",
    selection: { dataset_id: datasetId, split: "train" },
  });
  expect(lines).toEqual([header, ...rows].map(canonicalJson));
  expect(rows[0]).toMatchObject({ example_version: 1, tools: JSON.stringify(fullPayload().input.tools) });
  expect(rows[0].messages.at(-1)).toMatchObject({
    weight: 0.5,
    tool_calls: [{ function: { arguments: '{"orderId":"4711"}' } }],
  });
  const { example_id, example_version, sha256, ...taught } = rows[1];
  expect(example_id).toMatch(/^ex_/);
  expect(sha256).toBe(createHash("sha256").update(canonicalJson(taught)).digest("hex"));
  expect((await rowsIn(ctx, validation as Manifest))[0].messages[0].content).toBe("held out");
});

const TOOLS = `[{"type":"function","function":{"name":"act","parameters":{"type":"object","properties":{"reason":{},"action":{"default":1.0}}}}}]`;
const ARGUMENTS = `{"reason": "why", "action": 1.0}`;
const acting = (tools: string): ChatPayload => ({
  input: { ...smallPayload("act").input, tools: parseExactJson(tools) as ChatPayload["input"]["tools"] },
  expectedOutput: {
    type: "chat_message",
    message: {
      role: "assistant",
      content: null,
      tool_calls: [{ id: "a", type: "function", function: { name: "act", arguments: ARGUMENTS } }],
    },
  },
});

test("tools and arguments are trained in the order and with the digits in which they were sent", async () => {
  const { ctx, datasetId } = await world();
  await write(ctx, datasetId, [creating("act", { payload: acting(TOOLS) })]);
  const [row] = await rowsIn(ctx, (await freezeExamples(ctx, { datasetId, method: "sft" })).train);
  expect(row.tools).toBe(TOOLS);
  expect(row.messages.at(-1).tool_calls[0].function.arguments).toBe(ARGUMENTS);
});

test("an Example with its tools in another order is the same content, and an update stores the new order", async () => {
  const { ctx, datasetId } = await world();
  await write(ctx, datasetId, [creating("act", { payload: acting(TOOLS) })]);
  const [first] = await rowsIn(ctx, (await freezeExamples(ctx, { datasetId, method: "sft" })).train);
  const sorted = canonicalJson(JSON.parse(TOOLS));
  const update = (tools: string) =>
    write(ctx, datasetId, [{ kind: "update", exampleId: first.example_id, patch: { payload: acting(tools) } }]);
  // A browser reads 1.0 as 1.
  expect(await update(JSON.stringify(JSON.parse(TOOLS)))).toMatchObject([{ status: "unchanged" }]);
  expect(await update(sorted)).toMatchObject([{ status: "updated" }]);
  const [second] = await rowsIn(ctx, (await freezeExamples(ctx, { datasetId, method: "sft" })).train);
  expect([second.sha256, second.tools]).toEqual([first.sha256, sorted]);
  expect(await update(sorted)).toMatchObject([{ status: "unchanged" }]);
});

test("a manifest has the weight of each answer, and of a pair or a good answer as a whole", async () => {
  const { ctx, datasetId } = await world();
  const { input, expectedOutput } = smallPayload("Really?");
  const messages = [
    { role: "user" as const, content: "Where is it?" },
    { role: "assistant" as const, content: "Lost.", weight: 0 },
    ...input.messages,
  ];
  const payload = {
    input: { ...input, messages },
    expectedOutput: { ...expectedOutput, weight: 0.25 },
    rejectedOutput,
  };
  await write(ctx, datasetId, [creating("one", { payload })]);
  const rows = async (method: "sft" | "dpo" | "kto") =>
    rowsIn(ctx, (await freezeExamples(ctx, { datasetId, method })).train);
  expect((await rows("sft"))[0].messages.map(({ weight }: { weight?: number }) => weight)).toEqual([
    undefined,
    0,
    undefined,
    0.25,
  ]);
  expect(await rows("dpo")).toMatchObject([{ weight: 0.25 }]);
  const [good, bad] = await rows("kto");
  expect([good.weight, bad.weight, JSON.stringify(good.prompt)]).toEqual([
    0.25,
    undefined,
    expect.not.stringContaining("weight"),
  ]);
});

test("an Example is trained on for its earlier answers too, if they have a weight", async () => {
  const { ctx, datasetId } = await world();
  const { input, expectedOutput } = smallPayload("Really?");
  const earlier = [
    { role: "user" as const, content: "Hi" },
    { role: "assistant" as const, content: "Hello.", weight: 1 },
  ];
  const payload = {
    input: { ...input, messages: [...earlier, ...input.messages] },
    expectedOutput: { ...expectedOutput, weight: 0 },
  };
  await write(ctx, datasetId, [creating("one", { payload })]);
  const [row] = await rowsIn(ctx, (await freezeExamples(ctx, { datasetId, method: "sft" })).train);
  expect(row.messages.map(({ weight }: { weight?: number }) => weight)).toEqual([undefined, 1, undefined, 0]);
});

test("each method gets rows in its own form", async () => {
  const { ctx, datasetId } = await world();
  await write(ctx, datasetId, [paired("one")]);
  const shapes = async (method: "dpo" | "orpo" | "kto") =>
    rowsIn(ctx, (await freezeExamples(ctx, { datasetId, method })).train);
  const prompt = [{ role: "user", content: "one" }];
  for (const method of ["dpo", "orpo"] as const) {
    const [row] = await shapes(method);
    expect(row).toMatchObject({ prompt, rejected: [rejectedOutput.message] });
    expect(row.chosen[0].role).toBe("assistant");
  }
  const rows = await shapes("kto");
  expect(rows.map(({ label }) => label)).toEqual([true, false]);
  expect(rows[1]).toMatchObject({ prompt, completion: [rejectedOutput.message] });
});

test("the same selection is one stored manifest, even in a later version, and another selection is another", async () => {
  const { ctx, datasetId } = await world();
  await write(ctx, datasetId, [creating("one"), creating("two")]);
  const [first, again] = await Promise.all([
    freezeExamples(ctx, { datasetId, method: "sft" }),
    freezeExamples(ctx, { datasetId, method: "sft" }),
  ]);
  expect(again.train).toEqual(first.train);
  await write(ctx, datasetId, [creating("for the end", { split: "test" })]);
  const later = await freezeExamples(ctx, { datasetId, method: "sft" });
  expect([later.datasetVersion, later.train]).toEqual([2, first.train]);
  await write(ctx, datasetId, [creating("three")]);
  const other = await freezeExamples(ctx, { datasetId, method: "sft" });
  expect(other.train.sha256).not.toBe(first.train.sha256);
  expect((await freezeExamples(ctx, { datasetId, datasetVersion: 1, method: "sft" })).train).toEqual(first.train);
  expect(await ctx.db.$count(trainingManifests, eq(trainingManifests.projectId, ctx.projectId))).toBe(2);
});

test("freezing closes the version, so later changes are in the next one", async () => {
  const { ctx, datasetId } = await world();
  await write(ctx, datasetId, [creating("one")]);
  const { train } = await freezeExamples(ctx, { datasetId, method: "sft" });
  const [version] = await ctx.db
    .select()
    .from(datasetVersions)
    .where(and(eq(datasetVersions.projectId, ctx.projectId), eq(datasetVersions.datasetId, datasetId)));
  expect(version?.closedAt).toEqual(expect.any(Number));
  const [row] = await rowsIn(ctx, train);
  await write(ctx, datasetId, [
    { kind: "update", exampleId: row.example_id, patch: { payload: smallPayload("changed") } },
  ]);
  expect((await freezeExamples(ctx, { datasetId, datasetVersion: 1, method: "sft" })).train).toEqual(train);
  expect((await rowsIn(ctx, train))[0]).toEqual(row);
});

test("Examples that a method cannot train on are refused with their number", async () => {
  const { ctx, datasetId } = await world();
  const refused = (method: "sft" | "dpo" | "orpo" | "kto", message: RegExp) =>
    expect(freezeExamples(ctx, { datasetId, method })).rejects.toMatchObject({
      code: "unprocessable",
      message: expect.stringMatching(message),
    });
  await refused("sft", /no Examples/);
  await write(ctx, datasetId, [creating("one"), creating("two"), paired("three")]);
  await refused("dpo", /^2 of 3 training Examples have no rejectedOutput/);
  await refused("orpo", /^2 of 3 training Examples have no rejectedOutput/);
  const { train } = await freezeExamples(ctx, { datasetId, method: "kto" });
  expect(train.rows).toBe(4);
  const other = await storedDataset(ctx);
  await write(ctx, other, [creating("one")]);
  await expect(freezeExamples(ctx, { datasetId: other, method: "kto" })).rejects.toThrow(
    /None of the 1 training Example/,
  );
  await ctx.db.update(datasets).set({ schemaVersion: 2 }).where(eq(datasets.id, other));
  await expect(freezeExamples(ctx, { datasetId: other, method: "sft" })).rejects.toThrow(/chat\/v1/);
});

test("an Example whose answer has the weight 0 is not trained on", async () => {
  const { ctx, datasetId } = await world();
  const payload = smallPayload("ignored");
  const ignored = { ...payload, expectedOutput: { ...payload.expectedOutput, weight: 0 } };
  await write(ctx, datasetId, [creating("one"), creating("ignored", { payload: ignored })]);
  const { train } = await freezeExamples(ctx, { datasetId, method: "sft" });
  expect([train.rows, (await rowsIn(ctx, train)).length]).toEqual([1, 1]);
});

test("another project's Dataset and a missing version are not found", async () => {
  const { ctx, datasetId } = await world();
  await write(ctx, datasetId, [creating("one")]);
  const other = await testProject();
  await expect(freezeExamples(other.ctx, { datasetId, method: "sft" })).rejects.toMatchObject({ code: "not_found" });
  await expect(freezeExamples(ctx, { datasetId, datasetVersion: 7, method: "sft" })).rejects.toMatchObject({
    code: "not_found",
  });
});

test("an erasure while Examples are being read is detected", async () => {
  const { ctx, datasetId } = await world();
  const { id: conversationId } = await storedConversation(ctx, [{ role: "user", text: "Hello" }], { userId: "ann" });
  const link = { conversationId, userId: "ann", turn: 1, findingId: null };
  await write(ctx, datasetId, [creating("one"), creating("of ann", { link })]);
  const counted = await countTrainingExamples(ctx, { datasetId, version: 1, split: "train" });
  expect(await isUnchanged(ctx, counted)).toBe(true);
  expect(await inTransaction(ctx, (tx) => forgetExamples(tx, ofUser("ann")))).toEqual({ example_revisions: 1 });
  expect(await isUnchanged(ctx, counted)).toBe(false);
});

/** Returns the peak growth of the live heap, in MB, while the work runs. */
async function growthDuring(work: () => Promise<unknown>) {
  const live = () => {
    collectGarbage();
    return getHeapStatistics().used_heap_size / 2 ** 20;
  };
  const before = live();
  let highest = before;
  const timer = setInterval(() => {
    highest = Math.max(highest, live());
  }, 2_000);
  try {
    await work();
  } finally {
    clearInterval(timer);
  }
  return highest - before;
}

const MANY = amount(60_000, 100_000);

test("many Examples are frozen in less than 24 MB of memory", async () => {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx, "Many");
  await storeManyExamples(ctx, datasetId, MANY);
  const startedAt = performance.now();
  let train: Manifest | undefined;
  const grown = await growthDuring(async () => {
    ({ train } = await freezeExamples(ctx, { datasetId, method: "sft" }));
  });
  const seconds = (performance.now() - startedAt) / 1000;
  expect(train?.rows).toBe(MANY);
  expect(train?.bytes).toBeGreaterThan(MANY * 400);
  // A page of Examples and a chunk of the file; the manifest itself has over 24 MB, and its rows take several times that as
  // objects.
  expect(grown).toBeLessThan(24);
  process.stdout.write(
    `Froze ${MANY} Examples (${train?.bytes} bytes) in ${(seconds).toFixed(1)} s with ${grown.toFixed(1)} MB of live heap.\n`,
  );
}, 300_000);
