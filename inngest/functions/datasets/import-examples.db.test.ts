import { and, eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";
import { datasetVersions, exampleRevisions } from "@/db/schema";
import { testProject } from "@/db/testing/test-project";
import { KILLS } from "@/scripts/lib/testing/amounts.mjs";
import { until } from "@/server/engine/testing/describe-engine";
import type { Ctx } from "@/server/platform/context";
import { cancelImport, getImport } from "@/server/services/datasets";
import { requireExactCounts, storedDataset } from "@/server/services/datasets/examples/testing";
import { chatLine, newImport } from "@/server/services/datasets/imports/testing";
import { kill, killRepeatedly } from "../testing/kill-repeatedly";
import { startEngineProcess } from "../testing/start-engine-process";

/** From a chunk's commit to the kill, which hits the next chunk or the one after it. */
const WITHIN_MS = 60;
/** Three chunks for each kill. */
const ROWS = 3_000 * KILLS;
/** Every tenth row is unusable, and every hundredth repeats its predecessor. */
const rows = Array.from({ length: ROWS }, (_, n) =>
  n % 10 === 3 ? `{"row": ${n}}` : chatLine(`question ${n % 100 === 99 ? n - 1 : n}`, { external_id: `row-${n}` }),
);
const [BAD, REPEATED] = [ROWS / 10, ROWS / 100];

const read = async (ctx: Ctx, datasetId: string, importId: string) =>
  (await getImport(ctx, { datasetId, importId })).import;

test("an import that is killed repeatedly loses no row and stores none twice", async () => {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  const importId = await newImport(ctx, datasetId, rows, { onError: "good_rows" });
  const isRunning = async () => (await read(ctx, datasetId, importId)).finishedAt === null;
  const progress = async () => (await read(ctx, datasetId, importId)).rowsDone;
  const args = ["import", ctx.projectId, importId];
  expect(await killRepeatedly({ args, isRunning, progress, withinMs: WITHIN_MS }, KILLS)).toBeGreaterThan(0);
  expect(await isRunning()).toBe(false);

  const created = ROWS - BAD - REPEATED;
  const done = await read(ctx, datasetId, importId);
  expect(done).toMatchObject({
    status: "completed_with_errors",
    rowsDone: ROWS,
    rowsValid: ROWS - BAD,
    created,
    duplicate: REPEATED,
    rejected: BAD,
    version: 1,
  });
  expect(new Set(done.errors.map(({ line }) => line)).size).toBe(done.errors.length);
  const ofDataset = and(eq(exampleRevisions.projectId, ctx.projectId), eq(exampleRevisions.datasetId, datasetId));
  const [stored] = await ctx.db
    .select({
      all: sql<number>`count(*)::int`,
      contents: sql<number>`count(distinct content_hash)::int`,
      references: sql<number>`count(distinct external_ref)::int`,
      ordinals: sql<number>`count(distinct ordinal)::int`,
      last: sql<number>`max(ordinal)`,
    })
    .from(exampleRevisions)
    .where(ofDataset);
  expect(stored).toEqual({ all: created, contents: created, references: created, ordinals: created, last: created });
  const versions = await ctx.db.select().from(datasetVersions).where(eq(datasetVersions.datasetId, datasetId));
  expect(versions).toMatchObject([{ number: 1, kind: "import", added: created, causeId: importId }]);
  expect(versions[0]?.closedAt).not.toBeNull();
  await requireExactCounts(ctx, datasetId);
}, 600_000);

test("a cancelled import whose process was killed is undone by the next process", async () => {
  const { ctx } = await testProject();
  const datasetId = await storedDataset(ctx);
  const good = rows.filter((_, n) => n % 10 !== 3);
  const importId = await newImport(ctx, datasetId, good);
  const first = await startEngineProcess();
  await until(async () => (await read(ctx, datasetId, importId)).rowsDone > 0, 60_000);
  await cancelImport(ctx, { datasetId, importId });
  await kill(first);
  const second = await startEngineProcess();
  await until(async () => (await read(ctx, datasetId, importId)).status === "cancelled", 60_000);
  await kill(second);
  const ofDataset = and(eq(exampleRevisions.projectId, ctx.projectId), eq(exampleRevisions.datasetId, datasetId));
  expect(await ctx.db.$count(exampleRevisions, ofDataset)).toBe(0);
  expect(await ctx.db.$count(datasetVersions, eq(datasetVersions.datasetId, datasetId))).toBe(0);
  await requireExactCounts(ctx, datasetId);
}, 300_000);
