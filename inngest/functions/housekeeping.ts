import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { housekeepingDue, storageMeasurementRequested } from "@/server/platform/jobs/events";
import { cleanFiles, cleanFilesOfNoProject } from "@/server/services/files";
import { HOUSEKEEPING_MINUTE, runHousekeeping, scheduleHousekeeping } from "@/server/services/retention";
import { measureStorage } from "@/server/services/stored-sizes";
import { inngest } from "../client";
import { jobContext } from "../job-context";

const STEP_MS = 5_000;
const STEPS = 20;
/** Projects cleaned concurrently: few, so that the rest of the installation does not notice. */
const AT_ONCE = 2;
/** Behind all interactive work. */
const LOWEST_PRIORITY = "-600";

export const scheduleDailyHousekeeping = inngest.createFunction(
  {
    ...functionOptions("schedule-housekeeping"),
    triggers: [{ cron: `${HOUSEKEEPING_MINUTE} * * * *` }], // hourly, so that new projects do not wait a day
    concurrency: 1,
  },
  async ({ step }) => {
    const scheduled = await step.run("schedule", () => scheduleHousekeeping(db()));
    await step.run("clean-files", () => cleanFilesOfNoProject(db()));
    return scheduled;
  },
);

export const projectHousekeeping = inngest.createFunction(
  {
    ...functionOptions("keep-house"),
    triggers: [housekeepingDue],
    concurrency: [{ limit: 1, key: "event.data.projectId" }, { limit: AT_ONCE }],
    priority: { run: LOWEST_PRIORITY },
    retries: 5,
  },
  async ({ event: { data }, step }) => {
    const ctx = jobContext("keep-house", data.projectId);
    for (let n = 0; n < STEPS; n += 1) {
      const { done } = await step.run(`turn-${n}`, () => runHousekeeping(ctx, data, { forMs: STEP_MS }));
      if (!done) continue;
      await step.run("clean-files", () => cleanFiles(ctx));
      await step.run("measure", () => measureStorage(ctx));
      return { done };
    }
    await step.sendEvent("go-on", housekeepingDue.create({ ...data, turn: data.turn + 1 }));
    return { done: false };
  },
);

export const measureStorageOfProject = inngest.createFunction(
  {
    ...functionOptions("measure-storage"),
    triggers: [storageMeasurementRequested],
    concurrency: [{ limit: 1, key: "event.data.projectId" }, { limit: AT_ONCE }],
    retries: 2,
  },
  async ({ event: { data }, step }) =>
    step.run("measure", () => measureStorage(jobContext("measure-storage", data.projectId))),
);
