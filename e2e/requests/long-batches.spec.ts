import { newProject, type TestProject } from "../../testbed/data/project";
import { attribute } from "../../testbed/product/known-load";
import { expect, test } from "../support/test";

/** Requests are stored by another thread of the web server, which reads long ones from memory that it shares. */

const SENTENCE = "The parcel of order 4821 has not arrived yet. ";
const PASSWORD = "hunter2-and-more";
const LONG_CHARACTERS = 200_000;
const SHORT_CHARACTERS = 2_000;

let project: TestProject;
test.beforeAll(async ({ baseURL }) => {
  project = await newProject(baseURL!);
});

const hex = (number: number, digits: number) => number.toString(16).padStart(digits, "0");

const historyOf = (characters: number) =>
  JSON.stringify(
    Array.from({ length: Math.ceil(characters / (40 * SENTENCE.length)) }, (_, n) => ({
      role: n % 2 === 0 ? "user" : "assistant",
      parts: [{ type: "text", content: `${n}: é주문 ${SENTENCE.repeat(40)}` }],
    })),
  );

async function send(nth: number, history: string, body?: string) {
  const at = Date.now() - 1000;
  const span = {
    traceId: hex(nth, 32),
    spanId: hex(nth, 16),
    name: "chat",
    kind: 1,
    startTimeUnixNano: `${at}000000`,
    endTimeUnixNano: `${at + 5}000000`,
    attributes: [
      attribute("gen_ai.operation.name", "chat"),
      attribute("user.id", `user-${nth}`),
      attribute("gen_ai.input.messages", history),
      attribute("db.password", PASSWORD),
    ],
  };
  const batch = { resourceSpans: [{ scopeSpans: [{ scope: { name: "shop" }, spans: [span] }] }] };
  return fetch(`${project.url}/v1/otlp/v1/traces`, {
    method: "POST",
    headers: { authorization: `Bearer ${project.secret}`, "content-type": "application/json" },
    body: body ?? JSON.stringify(batch),
  });
}

async function attributesOf(nth: number) {
  const reply = await project.read(`traces/${hex(nth, 32)}/spans`);
  const [span] = (reply.spans ?? []) as { attributes: Record<string, string> }[];
  return span?.attributes ?? {};
}

for (const [nth, characters] of [SHORT_CHARACTERS, LONG_CHARACTERS].entries()) {
  test(`a history of ${characters} characters is stored as sent, and the password beside it is masked`, async () => {
    const history = historyOf(characters);
    const reply = await send(nth + 1, history);
    expect(reply.status).toBe(200);
    const attributes = await attributesOf(nth + 1);
    expect(attributes["gen_ai.input.messages"]).toBe(history);
    expect(attributes["db.password"]).toBe("[masked: value]");
    const { receipt } = await project.read(`ingest-receipts/${reply.headers.get("x-whetstone-receipt")}`);
    expect(receipt).toMatchObject({ received: 1, stored: 1, rejected: 0, masked: 1 });
  });
}

test("concurrent long and short batches are all stored", async () => {
  const sizes = Array.from({ length: 12 }, (_, n) => (n % 3 === 0 ? SHORT_CHARACTERS : LONG_CHARACTERS + n));
  const replies = await Promise.all(sizes.map((characters, n) => send(100 + n, historyOf(characters))));
  expect(replies.map(({ status }) => status)).toEqual(sizes.map(() => 200));
  for (const [n, characters] of sizes.entries())
    expect((await attributesOf(100 + n))["gen_ai.input.messages"]).toBe(historyOf(characters));
});

test("a long body that is not JSON is rejected with a reason, and the next one is accepted", async () => {
  const reply = await send(1, "", `{"resourceSpans": [${" ".repeat(LONG_CHARACTERS)}`);
  expect(reply.status).toBe(400);
  expect(await reply.json()).toMatchObject({ code: "invalid", detail: expect.stringContaining("not JSON") });
  expect((await send(200, historyOf(LONG_CHARACTERS))).status).toBe(200);
});

test("a history that was deleted with its user is stored when another user sends the same one", async () => {
  const owner = await project.newKey("project:admin");
  const history = historyOf(LONG_CHARACTERS + 1000);
  const deletion = async (path: string, body?: object) => {
    const reply = await fetch(`${project.url}/v1/projects/${project.projectId}/deletions${path}`, {
      method: body ? "POST" : "GET",
      headers: { authorization: `Bearer ${owner}`, "content-type": "application/json" },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return (await reply.json()).deletion;
  };
  expect((await send(300, history)).status).toBe(200);
  const conversationId = async () =>
    ((await project.read(`traces/${hex(300, 32)}`)).trace as unknown as { conversationId: string | null })
      .conversationId;
  await expect.poll(conversationId).not.toBeNull();
  const { id } = await deletion("", { userId: "user-300" });
  await expect.poll(async () => (await deletion(`/${id}`)).status, { timeout: 60_000 }).toBe("completed");

  expect((await send(301, history)).status).toBe(200);
  expect((await attributesOf(301))["gen_ai.input.messages"]).toBe(history);
});
