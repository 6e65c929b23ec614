import { and, eq } from "drizzle-orm";
import OpenAI from "openai";
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { gatewayAssignments, spans } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { createDispatcher } from "@/server/rest/dispatcher";
import { OPERATIONS } from "@/server/rest/operations";
import { keyFor } from "@/server/rest/testing";
import { serve } from "@/server/rest/testing/serve";
import { createConnection, deleteConnection } from "@/server/services/connections";
import { compareVersions, listVersions } from "@/server/services/diagnostics";
import { storedCheckpoint } from "@/server/services/models/testing/stored-checkpoint";
import { createVariant, deleteVariant } from "@/server/services/proof";
import { deployCheckpoint, stopDeployment } from "@/server/services/serving";
import { driving } from "@/server/services/serving/deployments/testing/drive";
import { listConversations, projectPending } from "@/server/services/telemetry";
import { attachedTrainers } from "@/server/services/trainers/trainer-rows";
import { storedJob } from "@/server/services/training/testing/stored-job";
import { OPENAI_KEY, OpenAiServer } from "@/testbed/servers/openai-server";
import { attachScripted } from "@/testbed/trainers/attach-trainer";
import { ScriptedTrainer } from "@/testbed/trainers/scripted-trainer";
import { createGatewayAlias, deleteGatewayAlias } from "../aliases";
import { createAssigner } from "./assignments";
import { deleteOldAssignments } from "./delete-old-assignments";
import { endGatewayExperiment } from "./end-experiment";
import { getGatewayExperiment, listGatewayExperiments } from "./list-experiments";
import { startGatewayExperiment } from "./start-experiment";
import { subjectOf } from "./subject-of";
import { updateGatewayExperiment } from "./update-experiment";

let ours: OpenAiServer;
let tried: OpenAiServer;
let origin: string;
beforeAll(async () => {
  [ours, tried] = [await new OpenAiServer().start(), await new OpenAiServer().start()];
  process.env.OUTBOUND_ALLOW = "127.0.0.1";
  origin = await serve(createDispatcher(OPERATIONS));
});
afterAll(() => Promise.all([ours.stop(), tried.stop()]));
beforeEach(() => {
  ours.reset();
  tried.reset();
});

const RECORDED = "You are a shop assistant. Today is Monday. Be brief.";
const BETTER = RECORDED.replace("Be brief.", "Be brief. Ask before you cancel an order.");
const PROMPTED = BETTER.replace("Monday", "Friday");
const SYSTEM = { role: "system" as const, content: RECORDED.replace("Monday", "Friday") };
const USER = { role: "user" as const, content: "Where is my order?" };

type Change = Partial<Omit<Parameters<typeof createVariant>[1], "name">>;

async function world({ share = 100, in: given, ...change }: Change & { share?: number; in?: Ctx } = {}) {
  const ctx = given ?? (await testProject()).ctx;
  const connect = async (name: string, baseUrl: string) =>
    (await createConnection(ctx, { kind: "model", name, baseUrl, secret: OPENAI_KEY })).connection.id;
  const [own, other] = [await connect("Ours", ours.url), await connect("Tried", tried.url)];
  const targets = [{ connectionId: own, model: "gpt-4o" }];
  const { alias } = await createGatewayAlias(ctx, { name: "fast", targets });
  const endpoint = change.deploymentId ? {} : { connectionId: other, model: "gpt-4o-mini" };
  const asked = { ...endpoint, basedOn: RECORDED, systemPrompt: BETTER, ...change };
  const { variant } = await createVariant(ctx, { name: "Ask first", ...asked });
  const started = { gatewayAliasId: alias.id, variantId: variant.id, share };
  const { experiment } = await startGatewayExperiment(ctx, started);
  const key = await keyFor(ctx, "gateway:use", "telemetry:write");
  const client = new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0 });
  const ask = (session: string | null, more: object = {}) =>
    client.chat.completions.create(
      { model: "fast", messages: [SYSTEM, USER], ...more },
      session === null ? {} : { headers: { "x-session-id": session } },
    );
  return { ctx, alias, variant, experiment, client, ask, started };
}

const bodies = ({ received }: OpenAiServer) => received.map(({ text }) => JSON.parse(text));
const countsOf = async (ctx: Ctx, gatewayExperimentId: string) =>
  (await getGatewayExperiment(ctx, { gatewayExperimentId })).experiment.counts;
const armsIn = async ({ db, projectId }: Ctx, count: number) => {
  const stored = () => db.select().from(spans).where(eq(spans.projectId, projectId));
  await expect.poll(async () => (await stored()).length).toBe(count);
  return (await stored()).map(({ attributes }) => (attributes as Record<string, unknown>)["whetstone.gateway.arm"]);
};
const sessions = (count: number) => Array.from({ length: count }, (_, n) => `session-${n}`);

test("a conversation stays in its arm, call after call, also when the share rises or falls", async () => {
  const { ctx, experiment, ask } = await world({ share: 50 });
  const gatewayExperimentId = experiment.id;
  for (const session of sessions(20)) await ask(session);
  const before = await countsOf(ctx, gatewayExperimentId);
  expect(before.baseline + before.variant).toBe(20);
  expect(ours.received).toHaveLength(before.baseline);
  expect(tried.received).toHaveLength(before.variant);
  for (const count of [before.baseline, before.variant]) expect(count).toBeGreaterThan(0);
  for (const share of [100, 0]) {
    await updateGatewayExperiment(ctx, { gatewayExperimentId, share });
    for (const session of sessions(20)) await ask(session);
    await ask(`new at ${share}`);
  }
  expect(ours.received).toHaveLength(3 * before.baseline + 1);
  expect(tried.received).toHaveLength(3 * before.variant + 1);
  expect(await countsOf(ctx, gatewayExperimentId)).toEqual({
    baseline: before.baseline + 1,
    variant: before.variant + 1,
    notApplied: 0,
  });
});

test("processes without shared memory give a conversation one arm, which is stored before its first call is sent", async () => {
  const { ctx, experiment } = await world({ share: 50 });
  const [one, other] = [createAssigner(), createAssigner()];
  const subjects = sessions(40).map((id) => subjectOf({}, { "x-session-id": id })!);
  const first = await Promise.all(subjects.map((subject) => one.assign(ctx, experiment.id, subject)));
  expect(new Set(first.map((assigned) => assigned?.arm))).toEqual(new Set(["baseline", "variant"]));
  await updateGatewayExperiment(ctx, { gatewayExperimentId: experiment.id, share: 0 });
  expect(await Promise.all(subjects.map((subject) => other.assign(ctx, experiment.id, subject)))).toEqual(first);
  // At the same time.
  const fresh = subjectOf({}, { "x-session-id": "at once" })!;
  await updateGatewayExperiment(ctx, { gatewayExperimentId: experiment.id, share: 100 });
  const racing = Array.from({ length: 8 }, () => createAssigner().assign(ctx, experiment.id, fresh));
  for (const assigned of await Promise.all(racing)) expect(assigned).toMatchObject({ arm: "variant" });
  const { db, projectId } = ctx;
  const isMine = and(eq(gatewayAssignments.projectId, projectId), eq(gatewayAssignments.experimentId, experiment.id));
  expect(await db.$count(gatewayAssignments, isMine)).toBe(41);
});

test("the variant's model, prompt, parameters and descriptions of tools are sent; all else keeps its bytes", async () => {
  const { client } = await world({
    parameters: { temperature: 0.2, maxTokens: 50 },
    toolDescriptions: { pay: "Only after the user agreed." },
  });
  const pay = '{"type":"function","function":{"name":"pay","description":"Pays.","parameters":{"default":1e2}}}';
  const other = '{"type":"function", "function":{"name":"look"}}';
  const reply = await fetch(`${client.baseURL}/chat/completions`, {
    method: "POST",
    headers: {
      authorization: `Bearer ${client.apiKey}`,
      "content-type": "application/json",
      "x-session-id": "a",
    },
    body: `{"model":"fast","temperature":1.0,"max_tokens":9, "messages":[${JSON.stringify(SYSTEM)}, {"role":"user","content":"\\u0048i"}],"tools":[ ${pay} ,${other}]}`,
  });
  expect(reply.status).toBe(200);
  expect(tried.received[0]!.text).toBe(
    `{"model":"gpt-4o-mini","temperature":0.2,"max_tokens":50, "messages":[${JSON.stringify({ ...SYSTEM, content: PROMPTED })}, {"role":"user","content":"\\u0048i"}],"tools":[ ${pay.replace("Pays.", "Only after the user agreed.")} ,${other}]}`,
  );
});

test("the prompt is changed where it is: in a system or developer message, in parts, in instructions, or in input", async () => {
  const { ask, client } = await world();
  const parts = [{ type: "text", text: SYSTEM.content }];
  await ask("a", { messages: [{ ...SYSTEM, role: "developer" }, USER] });
  await ask("b", { messages: [{ role: "system", content: parts }, USER] });
  await ask("c", { messages: [{ role: "system", content: "Another part." }, SYSTEM, USER] });
  const headers = { headers: { "x-session-id": "d" } };
  await client.responses.create({ model: "fast", instructions: SYSTEM.content, input: "Hi" }, headers);
  await client.responses.create(
    { model: "fast", input: [{ role: "developer", content: SYSTEM.content }, USER] },
    headers,
  );
  const [developer, inParts, second, instructions, input] = bodies(tried);
  expect(developer.messages[0]).toEqual({ role: "developer", content: PROMPTED });
  expect(inParts.messages[0].content).toEqual([{ type: "text", text: PROMPTED }]);
  expect(second.messages.map(({ content }: { content: string }) => content)).toEqual([
    "Another part.",
    PROMPTED,
    USER.content,
  ]);
  expect(instructions).toMatchObject({ instructions: PROMPTED, input: "Hi" });
  expect(input.input).toEqual([{ role: "developer", content: PROMPTED }, USER]);
});

test("a prompt that is written from nothing is added where there is none", async () => {
  const { ask, client } = await world({ basedOn: null, systemPrompt: "Be kind." });
  await ask("a", { messages: [USER] });
  await client.responses.create({ model: "fast", input: "Hi", metadata: { conversation_id: "b" } });
  expect(bodies(tried)).toMatchObject([
    { messages: [{ role: "system", content: "Be kind." }, USER] },
    { instructions: "Be kind.", input: "Hi" },
  ]);
});

test("a call that the change does not fit is sent as it is, stays in its arm and is counted once a conversation", async () => {
  const { ctx, experiment, ask } = await world();
  const messages = [{ role: "system", content: "You translate from English to German." }, USER];
  await ask("a", { messages });
  await ask("a", { messages });
  await ask("b");
  expect(bodies(ours)).toEqual([
    { model: "gpt-4o", messages },
    { model: "gpt-4o", messages },
  ]);
  expect(tried.received).toHaveLength(1);
  await expect.poll(() => countsOf(ctx, experiment.id)).toEqual({ baseline: 0, variant: 2, notApplied: 1 });
  const { variant, notApplied } = experiment.arms;
  const arms = await armsIn(ctx, 6);
  expect(arms.filter((arm) => Array.isArray(arm) && arm.includes(notApplied))).toEqual(
    Array(4).fill([variant, notApplied]),
  );
});

test("what says nothing of its conversation is known by its first message and its user, or by the response it continues", async () => {
  const { ctx, experiment, ask, client } = await world({ basedOn: null, systemPrompt: "Be kind." });
  await ask(null);
  await ask(null, {
    messages: [SYSTEM, USER, { role: "assistant", content: "Which one?" }, { ...USER, content: "7" }],
  });
  await ask(null, { user: "ann" });
  const { id } = await client.responses.create({ model: "fast", input: "Hi" });
  await updateGatewayExperiment(ctx, { gatewayExperimentId: experiment.id, share: 0 });
  const next = await client.responses.create({ model: "fast", input: "And?", previous_response_id: id });
  expect(next.output_text).not.toBe("");
  expect(tried.received).toHaveLength(5);
  // Another process knows the chain, too.
  const chained = subjectOf({ previous_response_id: next.id }, {})!;
  expect(await createAssigner().assign(ctx, experiment.id, chained)).toMatchObject({ arm: "variant" });
  expect(await countsOf(ctx, experiment.id)).toEqual({ baseline: 0, variant: 3, notApplied: 0 });
  // A response that is none of the experiment's, and a call without words, are outside.
  await client.responses.create({ model: "fast", input: "And?", previous_response_id: "resp_unknown" });
  await ask(null, { messages: [{ role: "system", content: "Go." }] });
  expect(ours.received).toHaveLength(2);
  expect(await countsOf(ctx, experiment.id)).toEqual({ baseline: 0, variant: 3, notApplied: 0 });
  expect((await armsIn(ctx, 14)).filter((arm) => arm === undefined)).toHaveLength(4);
});

test("the alias's own models stand in for the variant's, with its prompt, in its arm", async () => {
  const { ctx, ask, client, experiment } = await world({ parameters: { temperature: 0 } });
  tried.refusal = { status: 500, message: "Broken." };
  const answer = await ask("a");
  expect(answer.choices[0]?.message.content).toBe("Sunny hello world");
  const messages = [SYSTEM, USER];
  const streamed = { model: "fast", messages, metadata: { conversation_id: "a" }, stream: true } as const;
  let said = "";
  for await (const { choices } of await client.chat.completions.create(streamed)) {
    said += choices[0]?.delta.content ?? "";
  }
  expect(said).toBe("Sunny hello world");
  const sent = { model: "gpt-4o", messages: [{ ...SYSTEM, content: PROMPTED }, USER] };
  expect(bodies(ours)).toEqual([sent, expect.objectContaining(sent)]);
  for (const body of bodies(tried)) expect(body).toMatchObject({ ...sent, model: "gpt-4o-mini", temperature: 0 });
  expect(await armsIn(ctx, 6)).toEqual(Array(6).fill([experiment.arms.variant]));
});

test("conversations have their arm, by which they are listed and compared", async () => {
  const { ctx, ask, experiment } = await world({ share: 50 });
  for (const session of sessions(24)) await ask(session);
  const { baseline, variant } = experiment.arms;
  const counts = await countsOf(ctx, experiment.id);
  await armsIn(ctx, 48);
  while ((await projectPending(ctx.db)) > 0);
  expect((await listConversations(ctx, { arm: [variant] })).conversations).toHaveLength(counts.variant);
  const { versions } = await listVersions(ctx, { by: "arm" });
  expect(versions.map(({ value, conversations }) => [value, conversations]).sort()).toEqual([
    [baseline, counts.baseline],
    [variant, counts.variant],
  ]);
  const { comparison } = await compareVersions(ctx, { by: "arm", baseline, compared: variant });
  expect(comparison).toMatchObject({
    both: 0,
    baseline: { conversations: counts.baseline },
    compared: { conversations: counts.variant },
  });
  expect(comparison.rows.map(({ kind }) => kind)).toEqual(expect.arrayContaining(["errors", "cost", "latency"]));
  expect(comparison.rows.every(({ verdict }) => ["too_few", "none_shown"].includes(verdict))).toBe(true);
});

test("an experiment that has ended assigns nothing more, and its calls are answered as before", async () => {
  const { ctx, ask, experiment, started } = await world();
  const gatewayExperimentId = experiment.id;
  await ask("a");
  await expect(startGatewayExperiment(ctx, started)).rejects.toMatchObject({ code: "conflict" });
  const ended = await endGatewayExperiment(ctx, { gatewayExperimentId });
  expect(ended.experiment.endedAt).toBeGreaterThanOrEqual(experiment.startedAt);
  expect(await endGatewayExperiment(ctx, { gatewayExperimentId })).toEqual(ended);
  await expect(updateGatewayExperiment(ctx, { gatewayExperimentId, share: 1 })).rejects.toMatchObject({
    code: "conflict",
  });
  // At once, even where a process does not know of it yet.
  await ask("b");
  expect(ours.received).toHaveLength(1);
  await expect
    .poll(
      async () => {
        const before = ours.received.length;
        await ask("a");
        return ours.received.length > before;
      },
      { timeout: 6_000, interval: 300 },
    )
    .toBe(true);
  expect(await countsOf(ctx, gatewayExperimentId)).toEqual({ baseline: 0, variant: 1, notApplied: 0 });
  const { experiment: next } = await startGatewayExperiment(ctx, started);
  expect([experiment.name, next.name]).toEqual(["fast #1", "fast #2"]);
});

test("an experiment does not start with a variant that nothing can answer as", async () => {
  const { ctx, experiment, variant, started } = await world();
  await endGatewayExperiment(ctx, { gatewayExperimentId: experiment.id });
  await deleteConnection(ctx, { connectionId: variant.connectionId! });
  await expect(startGatewayExperiment(ctx, started)).rejects.toMatchObject({
    code: "unprocessable",
    errors: [{ path: "/variantId" }],
  });
});

test("an experiment ends with its variant or its alias, keeps its counts, and is another project's secret", async () => {
  const [one, other] = [await world(), await world()];
  await one.ask("a");
  expect(await countsOf(other.ctx, other.experiment.id)).toEqual({ baseline: 0, variant: 0, notApplied: 0 });
  const foreign = { gatewayExperimentId: one.experiment.id };
  for (const attempt of [
    () => getGatewayExperiment(other.ctx, foreign),
    () => endGatewayExperiment(other.ctx, foreign),
    () => updateGatewayExperiment(other.ctx, { ...foreign, share: 1 }),
    () => startGatewayExperiment(other.ctx, one.started),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: "not_found" });
  }
  await expect(
    startGatewayExperiment(other.ctx, { ...other.started, variantId: one.variant.id }),
  ).rejects.toMatchObject({ code: "unprocessable", errors: [{ path: "/variantId" }] });
  expect((await listGatewayExperiments(other.ctx, {})).experiments.map(({ id }) => id)).toEqual([other.experiment.id]);
  await deleteVariant(one.ctx, { variantId: one.variant.id });
  await deleteGatewayAlias(other.ctx, { gatewayAliasId: other.alias.id });
  for (const { ctx, experiment } of [one, other]) {
    const [{ endedAt } = experiment] = (await listGatewayExperiments(ctx, {})).experiments;
    expect(endedAt).not.toBeNull();
  }
  expect(await deleteOldAssignments(one.ctx, 100)).toBe(0);
  await one.ctx.db.execute(`update gateway_experiments set ended_at = 1 where id = '${one.experiment.id}'`);
  expect(await deleteOldAssignments(other.ctx, 100)).toBe(0);
  expect(await deleteOldAssignments(one.ctx, 100)).toBe(1);
  expect(await countsOf(one.ctx, one.experiment.id)).toEqual({ baseline: 0, variant: 1, notApplied: 0 });
});

test("a deployment of ours answers the variant's conversations, and the alias's models when it has ended", async () => {
  const trainer = await new ScriptedTrainer().start();
  onTestFinished(() => trainer.stop());
  await attachScripted(trainer);
  trainer.deployments.script = ["running"];
  const { ctx: own } = await testProject();
  const [row] = await attachedTrainers(own.db);
  const checkpointId = await storedCheckpoint(own, await storedJob(own, { trainerId: row!.id, name: "Shop agent" }));
  const { deployment } = await driving(own, () => deployCheckpoint(own, { checkpointId }));
  const { ctx, experiment, ask } = await world({
    in: own,
    deploymentId: deployment.id,
    parameters: { temperature: 0.2 },
  });
  trainer.deployments.words = ["From ", "ours"];
  const answer = async (session: string) => (await ask(session)).choices[0]!.message.content;
  expect(await answer("session-1")).toBe("From ours");
  expect(trainer.deployments.lastRequest).toMatchObject({
    model: deployment.model,
    temperature: 0.2,
    messages: [{ role: "system", content: PROMPTED }, USER],
  });
  expect(ours.received).toEqual([]);
  expect(await armsIn(ctx, 2)).toEqual(Array(2).fill(["fast #1 variant"]));
  await driving(ctx, () => stopDeployment(ctx, { deploymentId: deployment.id }));
  expect(await answer("session-1")).toBe("Sunny hello world");
  expect(bodies(ours)[0].messages[0].content).toBe(PROMPTED);
  expect(await countsOf(ctx, experiment.id)).toEqual({ baseline: 0, variant: 1, notApplied: 0 });
});
