import { randomBytes } from "node:crypto";
import { Decimal } from "decimal.js";
import { sql } from "drizzle-orm";
import { prepareDatabase } from "@/db/prepare";
import { startTemporaryDatabase } from "../../scripts/lib/database/temporary-database.mjs";
import { bound, percentile } from "./machine";

const DEFINITIONS = 5_000;
const REQUESTS = 300;
const P95_MS = 10;
const CALLS = 1_000_000;
const CALLS_A_STATEMENT = 50_000;
const CONVERSATIONS = 1_000;
const COSTS_P95_MS = 50;
const BIG = "prj_bench_prices";
const DAY = Date.UTC(2026, 10, 1);
const DAYS = 30;

type Services = Awaited<ReturnType<typeof services>>;

/** Imported late: the environment, which names the database, is read once. */
async function services() {
  const { db, closePool } = await import("@/db/pool");
  const { createDispatcher } = await import("@/server/rest/dispatcher");
  const { OPERATIONS } = await import("@/server/rest/operations");
  const { issueApiKey } = await import("@/server/services/api-keys");
  const { foldDailyCosts } = await import("@/server/services/telemetry");
  const dispatch = createDispatcher(OPERATIONS);
  const projectId = BIG as Parameters<typeof issueApiKey>[1]["projectId"];
  await db().execute(sql`insert into projects (id, name) values (${BIG}, 'Prices')`);
  const capabilities = ["model-pricing:read" as const, "model-pricing:write" as const];
  const { secret } = await issueApiKey(db(), {
    projectId,
    name: "bench",
    capabilities,
    expiresAt: null,
    createdBy: null,
  });
  const ask = async (path: string, init: RequestInit = {}) => {
    const headers = { authorization: `Bearer ${secret}`, "content-type": "application/json" };
    const reply = await dispatch(new Request(`http://bench${path}`, { ...init, headers }));
    const text = await reply.text();
    if (!reply.ok) throw new Error(`${path} answered ${reply.status}: ${text.slice(0, 200)}`);
    return text;
  };
  return { db: db(), closePool, foldDailyCosts, ask };
}

/** Times each request without the rate limit, which a server of this size would raise. */
async function timed({ db }: Services, count: number, request: (n: number) => Promise<unknown>) {
  const samples: number[] = [];
  for (let n = 0; n < count; n++) {
    if (n % 50 === 0) await db.execute(sql`delete from rate_buckets`);
    const start = performance.now();
    await request(n);
    samples.push(performance.now() - start);
  }
  return samples;
}

const shown = (samples: readonly number[]) =>
  `p50 ${percentile(samples, 0.5).toFixed(1)} ms, p95 ${percentile(samples, 0.95).toFixed(1)} ms`;
const within = (what: string, samples: readonly number[], most: number) =>
  bound(`${what}, p95 ≤ ${most} ms`, percentile(samples, 0.95) <= most, shown(samples));

async function manyDefinitions(at: Services) {
  const tiers = [
    {
      id: "standard",
      name: "Standard",
      isDefault: true,
      priority: 0,
      conditions: [],
      prices: { input_tokens: 1e-6, output_tokens: 2e-6 },
    },
  ];
  await at.db.execute(sql`
    insert into model_price_definitions (project_id, id, version, provider, model_name, match_pattern, pricing_tiers, effective_from)
    select ${BIG}::text, 'mp_' || n, 1, 'external', 'own-model-' || n,
           '^(?:own-model-' || n || '|acme/model-' || n || ')(?:-\\d{4}-?\\d{2}-?\\d{2}|-latest|-v\\d)?$', ${JSON.stringify(tiers)}::text::jsonb, 0
    from generate_series(1, ${DEFINITIONS}::int) n`);
  const list = `/v1/projects/${BIG}/model-prices`;
  const first = await timed(at, 1, () => at.ask(list));
  const bytes = (await at.ask(list)).length;
  console.log(`        the first list after a start: ${shown(first)}, ${(bytes / 1e6).toFixed(1)} MB`);
  within("list of prices over /v1", await timed(at, REQUESTS, () => at.ask(list)), P95_MS);
  const match = (n: number) =>
    at.ask(`/v1/projects/${BIG}/model-price-matches?model=acme/model-${(n % DEFINITIONS) + 1}-latest`);
  within("match of a name over /v1", await timed(at, REQUESTS, match), P95_MS);
  const change = () =>
    at.ask(list, {
      method: "POST",
      body: JSON.stringify({ provider: "external", modelName: "own-model-1", pricingTiers: tiers }),
    });
  const after: number[] = [];
  for (let n = 0; n < 10; n++) {
    await change();
    after.push(...(await timed(at, 1, () => match(n))));
  }
  console.log(`        the first match after a change, which makes a new book: ${shown(after)}`);
}

async function manyCalls(at: Services) {
  const { db } = at;
  await db.execute(sql`
    insert into conversations (project_id, id, key, started_at, last_activity_at, received_at)
    select ${BIG}::text, 'conv_' || n, 'trace:' || n, n, n, n from generate_series(0, ${CONVERSATIONS - 1}::int) n`);
  for (let from = 0; from < CALLS; from += CALLS_A_STATEMENT) {
    // Costs of up to twelve decimal places, as prices of fractions of a millionth produce them.
    await db.execute(sql`
      insert into model_calls (project_id, trace_id, span_id, conversation_id, type, name, requested_model, usage, finish_reasons,
                               status, started_at, ended_at, digest, cost_total)
      select ${BIG}::text, lpad(to_hex(n), 32, '0'), lpad(to_hex(n), 16, '0'), 'conv_' || n % ${CONVERSATIONS}::int, 'llm', 'chat',
             'model-' || n % 20, jsonb_build_object('input_tokens', n % 9001, 'output_tokens', n % 701), '{}', 'ok',
             ${DAY}::bigint + n % ${DAYS}::int * 86400000::bigint, 0, '', (n::bigint * 7919 % 1000003 * 1000003 + n)::numeric / 1000000000000
      from generate_series(${from}::int, ${from + CALLS_A_STATEMENT - 1}::int) n`);
  }
  while ((await at.foldDailyCosts(db)) > 0);
  await db.execute(sql`vacuum analyze`);

  const Exact = Decimal.clone({ precision: 1000 });
  let added = new Exact(0);
  for (let from = 0; from < CALLS; from += CALLS_A_STATEMENT) {
    const rows = await db.execute<{ cost: string }>(sql`
      select cost_total as cost from model_calls where project_id = ${BIG}
        and trace_id >= lpad(to_hex(${from}::int), 32, '0') and trace_id < lpad(to_hex(${from + CALLS_A_STATEMENT}::int), 32, '0')`);
    for (const { cost } of rows) added = added.plus(cost);
  }
  const [summed] = await db.execute<{ cost: string }>(
    sql`select trim_scale(sum(cost_total))::text as cost from model_calls where project_id = ${BIG}`,
  );
  const path = `/v1/projects/${BIG}/costs?from=${DAY}&to=${DAY + DAYS * 86_400_000}`;
  const { costs } = JSON.parse(await at.ask(path)) as { costs: { total: { exactCost: string; calls: number } } };
  const [one, two, three] = [added.toFixed(), summed?.cost, costs.total.exactCost];
  bound(
    `${CALLS.toLocaleString("en")} costs: by decimal.js, by SQL and by day the same to the last digit`,
    one === two && two === three && costs.total.calls === CALLS,
    `${one}, ${two}, ${three}`,
  );
  within("costs of a month over /v1", await timed(at, REQUESTS, () => at.ask(path)), COSTS_P95_MS);
}

/** Measures what needs a database: thousands of a project's own prices, and a million costs. */
export async function storedPrices() {
  const server = await startTemporaryDatabase({ throwaway: true });
  try {
    process.env.DATABASE_URL = server.urlOf("whetstone");
    process.env.WHETSTONE_SECRET ??= randomBytes(32).toString("base64url");
    await prepareDatabase({ url: process.env.DATABASE_URL, ownerUrl: undefined });
    const at = await services();
    console.log(`\n${DEFINITIONS.toLocaleString("en")} prices of a project's own, in a database:`);
    await manyDefinitions(at);
    await manyCalls(at);
    await at.closePool();
  } finally {
    await server.stop();
  }
}
