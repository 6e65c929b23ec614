import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import type { Capability } from "@/server/platform/capabilities";
import type { Ctx } from "@/server/platform/context";
import { smallPayload } from "@/server/services/datasets/chat-payload/testing";
import { createDispatcher } from "../dispatcher";
import { OPERATIONS } from "../operations";
import { keyFor, requestTo } from "../testing";

const dispatch = createDispatcher(OPERATIONS);
const LEAST: Capability[] = ["workspace:read", "models:manage"];

// biome-ignore lint/suspicious/noExplicitAny: a body as a client reads it
type Reply = { status: number; body: any; headers: Headers };

async function client(ctx: Ctx, ...capabilities: Capability[]) {
  const key = await keyFor(ctx, ...capabilities);
  return async (method: string, path: string, body?: object, headers = {}): Promise<Reply> => {
    const request = requestTo(method, `/v1/projects/${ctx.projectId}/datasets${path}`, { key, body, headers });
    const reply = await dispatch(request);
    return { status: reply.status, body: await reply.json(), headers: reply.headers };
  };
}
type Client = Awaited<ReturnType<typeof client>>;

async function world() {
  const { ctx } = await testProject();
  const ask = await client(ctx, ...LEAST);
  const { body } = await ask("POST", "", { name: "Answers" });
  return { ctx, ask, id: body.dataset.id as string };
}
const paths = ({ body }: Reply) => body.errors.map(({ path }: { path: string }) => path);
const add = async (ask: Client, id: string, question: string, more = {}) =>
  (await ask("POST", `/${id}/examples`, { payload: smallPayload(question), ...more })).body.example;

test("a Dataset and an Example are created, read, changed and deleted with the fewest capabilities", async () => {
  const { ask, id } = await world();
  const source = { kind: "manual", externalRef: "ticket-1" };
  const made = await ask("POST", `/${id}/examples`, { source, tags: ["a"], payload: smallPayload() });
  expect([made.status, made.body.example]).toMatchObject([
    201,
    { source, tags: ["a"], payload: smallPayload(), datasetId: id, objective: null, version: 1 },
  ]);
  const path = `/${id}/examples/${made.body.example.id}`;
  expect(await ask("GET", path)).toMatchObject({ status: 200, body: made.body });
  const changed = await ask("PATCH", path, { tags: ["b"], split: "test", payload: smallPayload("Other?") });
  expect([changed.status, changed.body.example]).toMatchObject([
    200,
    { source, tags: ["b"], split: "test", payload: smallPayload("Other?") },
  ]);
  expect((await ask("GET", `/${id}`)).body.dataset).toMatchObject({ exampleCount: 1, version: 1 });
  expect(await ask("DELETE", path)).toMatchObject({ status: 200, body: { ok: true } });
  expect((await ask("GET", path)).status).toBe(404);
  expect((await ask("GET", `/${id}`)).body.dataset.exampleCount).toBe(0);
  expect(await ask("DELETE", `/${id}`)).toMatchObject({ status: 200, body: { ok: true } });
  for (const gone of [`/${id}`, `/${id}/examples`, `/${id}/facets`]) expect((await ask("GET", gone)).status).toBe(404);
});

test("tools come back in the order and with the digits in which they were sent", async () => {
  const { ctx, id } = await world();
  const key = await keyFor(ctx, ...LEAST);
  const tools = `[{"type":"function","function":{"name":"f","parameters":{"z":1.0,"type":"object","a":12345678901234567890}}}]`;
  const { input, expectedOutput } = smallPayload();
  const payload = `{"input":{"type":"chat","messages":${JSON.stringify(input.messages)},"tools":${tools}},"expectedOutput":${JSON.stringify({ ...expectedOutput, weight: "W" }).replace('"W"', "0.50")}}`;
  const path = `/v1/projects/${ctx.projectId}/datasets/${id}/examples`;
  const made = await dispatch(requestTo("POST", path, { key, body: `{"payload":${payload}}` }));
  const text = await made.text();
  expect([made.status, text]).toEqual([201, expect.stringContaining(`"tools":${tools}`)]);
  const { example } = JSON.parse(text);
  expect(example.payload.expectedOutput.weight).toBe(0.5);
  const read = await dispatch(requestTo("GET", `${path}/${example.id}`, { key }));
  expect(await read.text()).toContain(`"tools":${tools}`);
});

test("the legacy fields of Examples and Datasets are refused by name", async () => {
  const { ask, id } = await world();
  const { id: exampleId } = await add(ask, id, "a");
  const legacy = { input: {}, expectedOutput: {}, metadata: {} };
  const named = ["/input", "/expectedOutput", "/metadata"];
  for (const reply of [
    await ask("POST", `/${id}/examples`, { payload: smallPayload("b"), ...legacy }),
    await ask("PATCH", `/${id}/examples/${exampleId}`, legacy),
    await ask("PATCH", `/${id}`, legacy),
  ]) {
    expect(reply.status).toBe(400);
    expect(paths(reply)).toEqual(named);
  }
});

test("a problem in a payload is named by its pointer, and equal content by the Example that has it", async () => {
  const { ask, id } = await world();
  const first = await add(ask, id, "a");
  const messages = [
    { role: "user", content: "Hello" },
    { role: "robot", content: "x" },
  ];
  const bad = { ...smallPayload(), input: { type: "chat", messages } };
  const refused = await ask("POST", `/${id}/examples`, { payload: bad });
  expect([refused.status, paths(refused)]).toEqual([400, ["/payload/input/messages/1/role"]]);
  expect((await ask("POST", `/${id}/examples`, {})).status).toBe(400);
  const again = await ask("POST", `/${id}/examples`, { payload: smallPayload("a") });
  expect([again.status, again.body.detail]).toEqual([409, expect.stringContaining(first.id)]);
  const other = await add(ask, id, "b");
  const patched = await ask("PATCH", `/${id}/examples/${other.id}`, { payload: smallPayload("a") });
  expect([patched.status, patched.body.detail]).toEqual([409, expect.stringContaining(first.id)]);
});

test("the schema is fixed, and turning on collection without an objective explains what to do", async () => {
  const { ask, id } = await world();
  expect((await ask("PATCH", `/${id}`, { schema: { type: "chat", version: 1 } })).status).toBe(200);
  const other = await ask("PATCH", `/${id}`, { schema: { type: "chat", version: 2 } });
  expect([other.status, other.body.detail]).toEqual([409, expect.stringContaining("fixed at creation")]);
  const made = await ask("POST", "", { name: "x", collectionEnabled: true });
  expect([made.status, paths(made)]).toEqual([400, ["/collectionObjective"]]);
  const on = await ask("PATCH", `/${id}`, { collectionEnabled: true });
  expect([on.status, on.body.detail]).toEqual([409, expect.stringContaining("Set collectionObjective")]);
});

test("a batch gives each item its own status, all in one version", async () => {
  const { ask, id } = await world();
  const first = await add(ask, id, "a");
  const items = [
    { action: "create", payload: smallPayload("b"), tags: ["new"] },
    { action: "create", payload: smallPayload("a") },
    { action: "create", payload: {} },
    { action: "update", exampleId: first.id, tags: ["changed"] },
    { action: "update", exampleId: "ex_none", tags: [] },
    { action: "delete", exampleId: first.id },
    { action: "delete", exampleId: first.id },
  ];
  const { status, body } = await ask("POST", `/${id}/examples/batch`, { items });
  expect(status).toBe(200);
  expect(body.results.map((one: { status: number; outcome: string }) => [one.status, one.outcome])).toEqual([
    [201, "created"],
    [409, "duplicate"],
    [400, "invalid"],
    [200, "updated"],
    [404, "missing"],
    [200, "deleted"],
    [404, "missing"],
  ]);
  expect(body.results[1].exampleId).toBe(first.id);
  expect(body.results[2].errors[0].path).toMatch(/^\/items\/2\/payload/);
  expect((await ask("GET", `/${id}`)).body.dataset).toMatchObject({ exampleCount: 1, version: 1 });
  const many = Array.from({ length: 1001 }, () => ({ action: "delete", exampleId: "ex_1" }));
  expect((await ask("POST", `/${id}/examples/batch`, { items: many })).status).toBe(400);
  expect((await ask("POST", `/${id}/examples/batch`, { items: [{ action: "create", input: {} }] })).status).toBe(400);
});

test("lists are paged and filtered, and a cursor for other filters is refused", async () => {
  const { ask, id } = await world();
  for (const n of [1, 2, 3]) {
    await add(ask, id, `question number${n} about refunds`, { tags: [n === 2 ? "even" : "odd"], split: "train" });
  }
  const questions = ({ body }: Reply) =>
    body.examples.map((one: { payload: ReturnType<typeof smallPayload> }) => one.payload.input.messages[0]!.content);
  const list = async (query: string) => questions(await ask("GET", `/${id}/examples?${query}`));
  const [one, two, three] = [1, 2, 3].map((n) => `question number${n} about refunds`);
  const page = await ask("GET", `/${id}/examples?limit=2&tag=odd`);
  expect(questions(page)).toEqual([three, one]);
  const first = await ask("GET", `/${id}/examples?limit=2`);
  expect(questions(first)).toEqual([three, two]);
  expect(await list(`limit=2&cursor=${first.body.nextCursor}`)).toEqual([one]);
  expect((await ask("GET", `/${id}/examples?tag=odd&cursor=${first.body.nextCursor}`)).status).toBe(400);
  expect(await list("q=REFUNDS%20number2")).toEqual([two]);
  expect(await list("q=refunds&tag=even&split=train&source=manual")).toEqual([two]);
  for (const none of ["q=nothing", "split=test", "source=import", "conversationId=conv_1", "findingId=fnd_1"]) {
    expect(await list(none)).toEqual([]);
  }
  expect(await list("objective=teach_project_knowledge")).toEqual([]);
  expect((await ask("GET", `/${id}/examples?split=dev`)).status).toBe(400);
  const { facets } = (await ask("GET", `/${id}/facets`)).body;
  expect(facets).toMatchObject({
    total: 3,
    splits: [{ value: "train", count: 3 }],
    sources: [{ value: "manual", count: 3 }],
    objectives: [],
    tags: [
      { value: "odd", count: 2 },
      { value: "even", count: 1 },
    ],
    tokens: [{ from: 0, count: 3 }],
  });
});

test("requests with the same Idempotency-Key create one Example", async () => {
  const { ask, id } = await world();
  const send = () => ask("POST", `/${id}/examples`, { payload: smallPayload() }, { "idempotency-key": "once" });
  const [made, again] = [await send(), await send()];
  expect([again.status, again.body]).toEqual([201, made.body]);
  expect(again.headers.get("idempotent-replayed")).toBe("true");
});

test("another project finds neither Dataset nor Example, and a key without the capability is refused", async () => {
  const { ctx, ask, id } = await world();
  const { id: exampleId } = await add(ask, id, "a");
  const strange = await client((await testProject()).ctx, ...LEAST);
  const reader = await client(ctx, "workspace:read");
  const writer = await client(ctx, "models:manage");
  const payload = smallPayload("b");
  const reads = [`/${id}`, `/${id}/facets`, `/${id}/examples`, `/${id}/examples/${exampleId}`];
  const writes: [string, string, object?][] = [
    ["PATCH", `/${id}`, { name: "x" }],
    ["POST", `/${id}/examples`, { payload }],
    ["POST", `/${id}/examples/batch`, { items: [{ action: "create", payload }] }],
    ["PATCH", `/${id}/examples/${exampleId}`, { tags: [] }],
    ["DELETE", `/${id}/examples/${exampleId}`],
    ["DELETE", `/${id}`],
  ];
  for (const path of reads) {
    expect([(await strange("GET", path)).status, (await writer("GET", path)).status]).toEqual([404, 403]);
  }
  for (const [method, path, body] of writes) {
    expect((await strange(method, path, body)).status, path).toBe(404);
    expect((await reader(method, path, body)).status, path).toBe(403);
  }
  expect((await ask("GET", `/${id}/examples`)).body.examples).toHaveLength(1);
});
