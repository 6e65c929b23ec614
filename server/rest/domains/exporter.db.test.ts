import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import { sql } from "drizzle-orm";
import { afterAll, expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { otelVariables } from "@/testbed/data/project";
import { runClient } from "@/testbed/product/client";
import { createDispatcher } from "../dispatcher";
import { OPERATIONS } from "../operations";
import { keyFor, requestTo } from "../testing";

/** In a separate file, because the environment is read only once. About a KiB per second. */
const QUOTA_MIB = 0.06;
Object.assign(process.env, { RATE_LIMIT_KEY_INGEST_MIB: String(QUOTA_MIB) });

const dispatch = createDispatcher(OPERATIONS);
/** Uses up the quota of the client's key. */
let empty = async () => {};
const answered: { at: number; status: number; retryAfter: string | null }[] = [];
const server = createServer(async (incoming, outgoing) => {
  // Only once the client has connected: it may take seconds to start, and the quota refills by a KiB in each.
  if (answered.length === 0) await empty();
  const reply = await dispatch(
    new Request(`http://${incoming.headers.host}${incoming.url}`, {
      method: incoming.method ?? "GET",
      headers: Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]) as [string, string][],
      body: Readable.toWeb(incoming) as ReadableStream,
      duplex: "half",
    } as RequestInit),
  );
  answered.push({ at: performance.now(), status: reply.status, retryAfter: reply.headers.get("retry-after") });
  outgoing.writeHead(reply.status, Object.fromEntries(reply.headers));
  outgoing.end(Buffer.from(await reply.arrayBuffer()));
}).listen(0);
afterAll(() => server.close());

for (const protocol of ["http/json", "http/protobuf"]) {
  test(`OpenTelemetry's own exporter over ${protocol} waits for Retry-After and loses nothing`, async () => {
    answered.length = 0;
    const { ctx } = await testProject();
    const key = await keyFor(ctx, "telemetry:write");
    const body = `{"resourceSpans":[]}`.padEnd(QUOTA_MIB * 1024 * 1024, " ");
    empty = async () => void (await dispatch(requestTo("POST", "/v1/otlp/v1/traces", { key, body })));
    const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await runClient("manual-spans", { ...otelVariables(origin, key), OTEL_EXPORTER_OTLP_PROTOCOL: protocol });
    const refused = answered.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThan(0);
    expect(answered.at(-1)?.status).toBe(200);
    for (const [n, { at, status, retryAfter }] of answered.entries()) {
      if (status === 429) expect((answered[n + 1]?.at ?? 0) - at).toBeGreaterThan(Number(retryAfter) * 1000 - 50);
    }
    const spans = await db().execute(sql`select 1 from spans where project_id = ${ctx.projectId}`);
    expect(spans).toHaveLength(4);
  }, 60_000);
}
