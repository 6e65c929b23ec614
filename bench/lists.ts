import { sql } from "drizzle-orm";
import { closePool, db } from "@/db/pool";
import type { Ctx, ProjectId } from "@/server/platform/context";
import { listFindings } from "@/server/services/diagnostics";
import { listConversations } from "@/server/services/telemetry";
import { bound, machine, percentile } from "./lib/machine";

/** Run by `npm run bench:lists`: p95 of both lists at a million rows beside ten thousand, in one run, interleaved. */
const SMALL = 10_000;
const LARGE = Number(process.argv[2] ?? 1_000_000);
const SAMPLES = 200;
const RATIO = 2;

async function fill(projectId: string, rows: number) {
  await db().execute(sql`insert into projects (id, name) values (${projectId}, ${projectId})`);
  await db().execute(sql`
    insert into conversations (project_id, id, key, external_id, user_id, preview, models, started_at, last_activity_at,
      received_at, message_count, model_call_count, finding_count, usage, cost, words)
    select ${projectId}::text, 'conv_' || lpad(i::text, 10, '0'), 'id:s' || i, 's' || i, 'user-' || (i % 5000), 'Where is my order ' || i,
      array[(array['gpt-4o','gpt-4o-mini','claude-sonnet-4-5','gemini-2.5-pro'])[1 + i % 4]], 1700000000000 + i * 1000::bigint,
      1700000000000 + i * 1000::bigint, 1700000000000, 6, 3, (i % 20 = 0)::int, '{"input_tokens": 100}', 0.001,
      array['where', 'is', 'my', 'order', i::text, 'refund', 'parcel' || (i % 997)]
    from generate_series(1, ${rows}::int) i`);
  await db().execute(sql`
    insert into findings (project_id, id, rule_id, signal, fingerprint, cause, title, summary, severity, diagnostic_score,
      diagnostic_score_parts, review_status, occurrence_count, first_detected_at, last_detected_at, updated_at)
    select ${projectId}::text, 'fnd_' || lpad(i::text, 10, '0'), 'tool-failure', 'tool_error', 'f' || i, 'cause ' || i, 'get_order fails: ' || i,
      'An order was not found.', (array['critical','high','medium','low','info'])[1 + i % 5], (i % 100) / 100.0, '{"severity": 1, "confidence": 1, "spread": 1}',
      (array['unreviewed','confirmed','dismissed'])[1 + i % 3], 1, 1700000000000, 1700000000000 + i * 1000::bigint, 1700000000000
    from generate_series(1, ${rows}::int) i`);
}

const contextOf = (projectId: string): Ctx => ({
  db: db(),
  projectId: projectId as ProjectId,
  actor: { kind: "operator" },
});

type Query = { name: string; run: (ctx: Ctx, rows: number, sample: number) => Promise<unknown> };
const middleOf = (rows: number) => 1_700_000_000_000 + Math.floor(rows / 2) * 1000;
const QUERIES: Query[] = [
  { name: "conversations, first page", run: (ctx) => listConversations(ctx, {}) },
  {
    name: "conversations, from the middle",
    run: (ctx, rows) => listConversations(ctx, { startedBefore: middleOf(rows) }),
  },
  { name: "conversations, one user", run: (ctx, _, i) => listConversations(ctx, { userId: `user-${i}` }) },
  { name: "conversations, one model", run: (ctx) => listConversations(ctx, { model: "gpt-4o" }) },
  { name: "conversations, with findings", run: (ctx) => listConversations(ctx, { hasFindings: true }) },
  {
    name: "conversations, by client's id",
    run: (ctx, rows, i) => listConversations(ctx, { externalId: `s${(i * 7919) % rows}` }),
  },
  { name: "conversations, a rare word", run: (ctx, _, i) => listConversations(ctx, { q: `parcel${i}` }) },
  { name: "conversations, a common word", run: (ctx) => listConversations(ctx, { q: "refund" }) },
  { name: "findings, first page", run: (ctx) => listFindings(ctx, {}) },
  { name: "findings, from the middle", run: (ctx, rows) => listFindings(ctx, { lastDetectedBefore: middleOf(rows) }) },
  {
    name: "findings, unreviewed and high",
    run: (ctx) => listFindings(ctx, { reviewStatus: "unreviewed", severity: "high" }),
  },
  { name: "findings, score ≥ 0.9", run: (ctx) => listFindings(ctx, { minDiagnosticScore: 0.9 }) },
];

console.log(`${machine()}\nfilling ${SMALL.toLocaleString("en")} and ${LARGE.toLocaleString("en")} rows …`);
await fill("prj_small", SMALL);
await fill("prj_large", LARGE);
await db().execute(sql`vacuum analyze`);

console.log(`${"p95 in ms".padEnd(34)}${`${SMALL}`.padStart(10)}${`${LARGE}`.padStart(10)}${"ratio".padStart(8)}`);
for (const { name, run } of QUERIES) {
  const times = { small: [] as number[], large: [] as number[] };
  for (let i = -20; i < SAMPLES; i++) {
    for (const [size, id, rows] of [
      ["small", "prj_small", SMALL],
      ["large", "prj_large", LARGE],
    ] as const) {
      const start = performance.now();
      await run(contextOf(id), rows, Math.abs(i));
      if (i >= 0) times[size].push(performance.now() - start);
    }
  }
  const small = percentile(times.small, 0.95);
  const large = percentile(times.large, 0.95);
  bound(
    name.padEnd(34),
    large <= RATIO * small,
    `${small.toFixed(2).padStart(8)}${large.toFixed(2).padStart(10)}${(large / small).toFixed(2).padStart(8)}`,
  );
}
await closePool();
