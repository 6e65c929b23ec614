import { randomBytes } from "node:crypto";
import postgres from "postgres";
import { poolerPath } from "../../scripts/lib/testing/pooler.mjs";
import { newProject } from "../../testbed/data/project";
import { askForRuns, headers, knownTrace, sendTrace } from "../../testbed/product/known-load";
import { startOwnDatabase } from "../../testbed/product/own-database";
import { startProduct } from "../../testbed/product/product";
import { startPooler } from "../../testbed/servers/pooler";
import { expect, test } from "../support/test";

/** The product behind a pooler in transaction mode, as providers of PostgreSQL offer one. */

const CONNECTIONS = 6;
const TRACES = 60;
const WAIT_MS = 60_000;

test("behind a pooler, telemetry is stored, read and diagnosed with fewer connections than the product opens", async () => {
  test.skip(!poolerPath(), "needs Debian's package `pgbouncer`, which CI installs");
  test.setTimeout(180_000);
  const database = await startOwnDatabase();
  const pooler = await startPooler(database.applicationUrlOf("whetstone"), CONNECTIONS);
  const product = await startProduct({
    env: {
      DATABASE_URL: pooler.url,
      DATABASE_POOLER: "transaction",
      MIGRATION_DATABASE_URL: database.urlOf("whetstone"),
      WHETSTONE_SECRET: randomBytes(32).toString("base64url"),
      DIAGNOSE_AFTER_QUIET_SECONDS: "3600",
    },
  });
  const sql = postgres(database.urlOf("whetstone"), { max: 1, onnotice: () => {} });
  try {
    const project = await newProject(product.url, product.dataDir);
    const writer = await project.newKey("diagnostics:write", "diagnostics:read");
    const sent = await Promise.all(
      Array.from({ length: TRACES }, (_, n) => sendTrace(project, product.url, knownTrace(`session-${n}`))),
    );
    expect(sent.map(({ status }) => status)).toEqual(Array(TRACES).fill(200));
    const read = async () => {
      const reply = await fetch(`${product.url}/v1/projects/${project.projectId}/conversations?limit=100`, {
        headers: headers(project),
      });
      return (await reply.json()).conversations;
    };
    await expect.poll(read, { timeout: WAIT_MS }).toHaveLength(TRACES);
    const asked = await askForRuns(project, product.url, { writer, session: "session-1", activity: 1, key: "a-key" });
    expect(asked.status).toBe(202);
    const open = async () =>
      (await sql`select count(*)::int from rule_runs where status in ('queued', 'running')`)[0]?.count;
    await expect.poll(open, { timeout: WAIT_MS }).toBe(0);
    const [used] = await sql`select count(*)::int from pg_stat_activity where usename = 'whetstone_app'`;
    expect(used?.count).toBeLessThanOrEqual(CONNECTIONS);
    expect(used?.count).toBeGreaterThan(1);
    expect(product.output(), pooler.output()).not.toMatch(/prepared statement|SQLSTATE/);
  } finally {
    await sql.end({ timeout: 1 });
    await product.stop();
    await pooler.stop();
    await database.remove();
  }
});
