import { sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";
import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import type { Ctx } from "@/server/platform/context";
import { type ClaimedTraces, claimTraces } from "./claim-traces";

beforeEach(() => db().execute(sql`delete from projection_queue`));

/** Queues traces of a project, in order. */
const queue = ({ projectId }: Ctx, traces: number) =>
  db().execute(sql`
    insert into projection_queue (project_id, trace_id, received_at)
    select ${projectId}, 'trace ' || n, 0 from generate_series(1, ${traces}::int) n`);

const countOf = (claimed: readonly ClaimedTraces[], ctx?: Ctx) =>
  claimed
    .filter(({ projectId }) => !ctx || projectId === ctx.projectId)
    .reduce((sum, { traceIds }) => sum + traceIds.length, 0);

test("passes at the same time share the queue of a single project", async () => {
  const { ctx } = await testProject();
  await queue(ctx, 500);
  const claimed = await db().transaction(async (first: Db) => [
    countOf(await claimTraces(first)),
    await db().transaction(async (second: Db) => countOf(await claimTraces(second))),
  ]);
  expect(claimed).toEqual([200, 200]);
});

test("a pass also takes what another project has queued behind a busy one", async () => {
  const [busy, other] = [(await testProject()).ctx, (await testProject()).ctx];
  await queue(busy, 1000);
  await queue(other, 5);
  const claimed = await db().transaction((tx: Db) => claimTraces(tx));
  expect([countOf(claimed, busy), countOf(claimed, other)]).toEqual([200, 5]);
});
