import { once } from "node:events";
import path from "node:path";
import { eq } from "drizzle-orm";
import OpenAI from "openai";
import { afterEach, beforeAll, expect, test } from "vitest";
import { db } from "@/db/pool";
import { gatewayCalls, spans } from "@/db/schema";
import { bundledProgram } from "@/db/testing/bundled-program";
import { testProject } from "@/db/testing/test-project";
import { keyFor } from "@/server/rest/testing";
import { createConnection } from "@/server/services/connections";
import { getConversation, listConversations, projectPending } from "@/server/services/telemetry";
import { OPENAI_KEY, OpenAiServer } from "@/testbed/servers/openai-server";
import { recordInterruptedCalls } from "./record-interrupted-calls";

const ends: (() => unknown)[] = [];
beforeAll(() => {
  process.env.OUTBOUND_ALLOW = "127.0.0.1";
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

async function startServing() {
  const program = await bundledProgram(path.join(process.cwd(), "server/rest/testing/serving-process.ts"));
  ends.push(program.remove);
  const child = await program.start([], { env: { ...process.env, OUTBOUND_ALLOW: "127.0.0.1" } });
  ends.push(() => child.kill("SIGKILL"));
  child.send("where");
  const [origin] = await once(child, "message");
  return { origin: String(origin), child };
}

test("calls of a process that is killed in the middle of their streams are recorded with what had arrived", async () => {
  const upstream = await new OpenAiServer().start();
  ends.push(() => upstream.stop());
  const { ctx } = await testProject();
  await createConnection(ctx, { kind: "model", name: "Shop models", baseUrl: upstream.url, secret: OPENAI_KEY });
  const { origin, child } = await startServing();
  const client = new OpenAI({
    apiKey: await keyFor(ctx, "gateway:use", "telemetry:write"),
    baseURL: `${origin}/v1`,
    maxRetries: 0,
  });
  const messages = [{ role: "user" as const, content: "Say hello" }];
  const ask = (user: string) =>
    client.chat.completions.create({ model: "Shop models/gpt-4o", messages, user, stream: true });
  upstream.isHeld = true;
  const streams = await Promise.all(["ann", "bob"].map(ask));
  const written = async () => {
    const rows = await db().select().from(gatewayCalls).where(eq(gatewayCalls.projectId, ctx.projectId));
    return rows.filter((row) => JSON.stringify(row.spans).includes("Sunny ")).length;
  };
  await expect.poll(written).toBe(2);
  // A call that began and ended meanwhile is recorded as usual.
  upstream.isHeld = false;
  for await (const _ of await ask("cem"));
  await expect.poll(() => db().$count(spans, eq(spans.projectId, ctx.projectId))).toBe(1);
  child.kill("SIGKILL");
  await once(child, "exit");
  for (const stream of streams) {
    await expect(
      (async () => {
        for await (const _ of stream);
      })(),
    ).rejects.toThrow();
  }
  await db().update(gatewayCalls).set({ leasedUntil: 0 }).where(eq(gatewayCalls.projectId, ctx.projectId));
  await recordInterruptedCalls(db());
  expect(await recordInterruptedCalls(db())).toEqual({ recorded: 0 });
  while ((await projectPending(ctx.db)) > 0);
  const { conversations } = await listConversations(ctx, {});
  const all = await Promise.all(conversations.map(({ id }) => getConversation(ctx, { conversationId: id })));
  const told = all.map(({ conversation: { userId, messages: said, modelCalls } }) => ({
    userId,
    said: said.map(({ parts }) => parts[0]?.text),
    calls: modelCalls.map(({ status, usage, cost }) => [status, usage === null, cost === null]),
  }));
  expect(told.sort((a, b) => String(a.userId).localeCompare(String(b.userId)))).toEqual([
    { userId: "ann", said: ["Say hello", "Sunny "], calls: [["error", true, true]] },
    { userId: "bob", said: ["Say hello", "Sunny "], calls: [["error", true, true]] },
    { userId: "cem", said: ["Say hello", "Sunny hello world"], calls: [["ok", false, false]] },
  ]);
  expect(await db().select().from(gatewayCalls)).toEqual([]);
});
