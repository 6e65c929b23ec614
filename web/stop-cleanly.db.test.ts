import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import path from "node:path";
import { eq } from "drizzle-orm";
import OpenAI from "openai";
import postgres from "postgres";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { db } from "@/db/pool";
import { gatewayCalls, spans } from "@/db/schema";
import { bundledProgram } from "@/db/testing/bundled-program";
import { testProject } from "@/db/testing/test-project";
import { env } from "@/env";
import { keyFor } from "@/server/rest/testing";
import { createConnection } from "@/server/services/connections";
import { OPENAI_KEY, OpenAiServer } from "@/testbed/servers/openai-server";

const ends: (() => unknown)[] = [];
let program: Awaited<ReturnType<typeof bundledProgram>>;
let upstream: OpenAiServer;
beforeAll(async () => {
  process.env.OUTBOUND_ALLOW = "127.0.0.1";
  program = await bundledProgram(path.join(process.cwd(), "server/rest/testing/serving-process.ts"));
  return program.remove;
});
beforeEach(async () => {
  upstream = await new OpenAiServer().start();
  ends.push(() => upstream.stop());
});
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** The database behind a connection that can be cut. */
async function cuttable() {
  const target = new URL(env().DATABASE_URL);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((from) => {
    if (isCut) return void from.destroy();
    const to = connect(Number(target.port || 5432), target.hostname);
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const) {
      sockets.add(one);
      one.on("error", () => {}).once("close", () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const cut = () => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  ends.push(() => {
    cut();
    server.close();
  });
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    cut,
    mend: () => {
      isCut = false;
    },
  };
}

async function world(more: Record<string, string> = {}) {
  const { ctx } = await testProject();
  await createConnection(ctx, { kind: "model", name: "Shop models", baseUrl: upstream.url, secret: OPENAI_KEY });
  const child = await program.start([], { env: { ...process.env, OUTBOUND_ALLOW: "127.0.0.1", ...more } });
  ends.push(() => child.kill("SIGKILL"));
  child.send("where");
  const [origin] = await once(child, "message");
  const apiKey = await keyFor(ctx, "gateway:use", "telemetry:write");
  const client = new OpenAI({ apiKey, baseURL: `${String(origin)}/v1`, maxRetries: 0 });
  const messages = [{ role: "user" as const, content: "Say hello" }];
  const ask = () => client.chat.completions.create({ model: "Shop models/gpt-4o", messages, stream: true });
  const read = async (stream: Awaited<ReturnType<typeof ask>>) => {
    let said = "";
    for await (const chunk of stream) said += chunk.choices[0]?.delta.content ?? "";
    return said;
  };
  const recorded = () => db().select().from(spans).where(eq(spans.projectId, ctx.projectId));
  const rows = () => db().select().from(gatewayCalls).where(eq(gatewayCalls.projectId, ctx.projectId));
  return { child, origin: String(origin), ask, read, recorded, rows };
}

test("a process that is told to stop finishes its streams, and ends once all its calls are stored", async () => {
  const { child, origin, ask, read, recorded, rows } = await world();
  const exited = once(child, "exit");
  upstream.isHeld = true;
  const stream = await ask();
  await expect.poll(rows).toHaveLength(1);
  upstream.isHeld = false;
  const { release } = upstream;
  // Nothing can be stored before this is committed.
  const owner = postgres(env().MIGRATION_DATABASE_URL ?? "", { max: 1 });
  ends.push(() => owner.end());
  await owner.unsafe("begin; lock table spans in access exclusive mode");
  for (let n = 0; n < 5; n += 1) expect(await read(await ask())).toBe("Sunny hello world");
  child.kill("SIGTERM");
  await expect
    .poll(() =>
      fetch(origin).then(
        ({ status }) => status,
        () => "refused",
      ),
    )
    .toBe("refused");
  release();
  expect(await read(stream)).toBe("Sunny hello world");
  await Promise.race([once(child, "message"), exited]);
  await owner.unsafe("commit");
  expect(await exited).toEqual([0, null]);
  expect((await recorded()).map(({ statusCode }) => statusCode)).toEqual(Array(6).fill(0));
  expect(await rows()).toEqual([]);
});

test("calls that end while the database cannot be reached are answered, and stored once it is back", async () => {
  const database = await cuttable();
  const { ask, read, recorded, rows } = await world({ DATABASE_URL: database.url });
  upstream.delayMs = 300;
  const streams = await Promise.all([ask(), ask(), ask()]);
  database.cut();
  expect(await Promise.all(streams.map(read))).toEqual(Array(3).fill("Sunny hello world"));
  // What a call needs to begin is known for a few seconds.
  let late = 0;
  const another = async () => {
    await read(await ask());
    late += 1;
  };
  await expect.poll(() => another().catch(({ status }) => status)).toBe(503);
  expect(await recorded()).toEqual([]);
  database.mend();
  await expect.poll(recorded, { timeout: 10_000 }).toHaveLength(3 + late);
  expect((await recorded()).filter(({ statusCode }) => statusCode !== 0)).toEqual([]);
  await expect.poll(rows).toEqual([]);
});
