import { expect, test } from "vitest";
import { db } from "@/db/pool";
import { testProject } from "@/db/testing/test-project";
import { getBackgroundJob, replayBackgroundJob, replayFailedBackgroundJobs } from "@/server/services/background-jobs";
import { storedJob } from "@/server/services/background-jobs/testing";
import { operatorReplay } from "..";

/** In a separate file, because the environment is read only once. */
Object.assign(process.env, { INNGEST_BASE_URL: "http://127.0.0.1:9", INNGEST_DEV: "1" });

test("a job of the embedded engine cannot be replayed while an Inngest server runs the jobs", async () => {
  const { ctx } = await testProject();
  const backgroundJobId = await storedJob(ctx, { state: "failed" });
  const refused = { code: "conflict", message: expect.stringContaining("An Inngest server runs the jobs now.") };
  await expect(replayBackgroundJob(ctx, { backgroundJobId })).rejects.toMatchObject(refused);
  await expect(replayFailedBackgroundJobs(ctx, {})).rejects.toMatchObject(refused);
  await expect(operatorReplay(db(), backgroundJobId)).rejects.toMatchObject(refused);
  const { backgroundJob } = await getBackgroundJob(ctx, { backgroundJobId });
  expect(backgroundJob).toMatchObject({ state: "failed", replayable: false });
});
