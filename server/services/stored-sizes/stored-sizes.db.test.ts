import { expect, test } from "vitest";
import { testProject } from "@/db/testing/test-project";
import { chatSpan, ingest } from "@/server/services/telemetry/testing";
import { getStorage, measureStorage, requestStorageMeasurement } from ".";

test("a project's size is measured and read by table", async () => {
  const startedAt = Date.now();
  const { ctx } = await testProject();
  expect((await getStorage(ctx, {})).storage).toEqual({
    measuredAt: null,
    measuring: false,
    rows: 0,
    bytes: 0,
    tables: [],
  });
  await ingest(ctx, [chatSpan({ traceId: "1".padStart(32, "0"), spanId: "1".padStart(16, "0") })]);
  expect(await requestStorageMeasurement(ctx, {})).toEqual({ queued: true });
  expect((await getStorage(ctx, {})).storage).toMatchObject({ measuredAt: null, measuring: true });
  await measureStorage(ctx);
  const { storage } = await getStorage(ctx, {});
  expect(storage.tables).toContainEqual({ name: "spans", rows: 1, bytes: expect.any(Number) });
  expect(storage.bytes).toBeGreaterThan(500);
  expect(storage.measuredAt).toBeGreaterThan(startedAt - 1000);
});
