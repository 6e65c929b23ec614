import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { deploymentDue } from "@/server/platform/jobs/events";
import { runDeployment, stopOrphans, wakeDeployments, wakeRollouts } from "@/server/services/fine-tuning";
import { inngest } from "../client";
import { jobContext } from "../job-context";

const RUN = "run-deployment";
/** A turn waits some seconds for a deployment on its way, and the poll goes on with one that takes longer than these. */
const TURNS = 30;
const PAUSE = "1s";
const AT_ONCE = 4;

export const runDeployments = inngest.createFunction(
  {
    ...functionOptions(RUN),
    triggers: [deploymentDue],
    concurrency: [
      { limit: 1, key: "event.data.deploymentId" },
      { limit: AT_ONCE, key: "event.data.projectId" },
    ],
    // A trainer's failures are handled by the service; these are the database's. The poll wakes what is left over.
    retries: 5,
  },
  async ({ event: { data }, step }) => {
    const ctx = jobContext(RUN, data.projectId);
    for (let n = 0; n < TURNS; n += 1) {
      if (n > 0) await step.sleep(`wait-${n}`, PAUSE);
      const { done } = await step.run(`turn-${n}`, () => runDeployment(ctx, data.deploymentId));
      if (done) return { done };
    }
    return { done: false };
  },
);

/** Cron's resolution is a minute, and a crash should show sooner. */
const PASSES = 3;
const INTERVAL = "20s";

export const pollDeployments = inngest.createFunction(
  {
    ...functionOptions("poll-deployments"),
    triggers: [{ cron: "* * * * *" }],
    concurrency: 1,
    // The next minute's run is the retry.
    retries: 0,
  },
  async ({ step }) => {
    await step.run("stop-orphans", () => stopOrphans(db()));
    for (let pass = 0; pass < PASSES; pass += 1) {
      if (pass > 0) await step.sleep(`wait-${pass}`, INTERVAL);
      await step.run(`wake-${pass}`, async () => (await wakeDeployments(db())) + (await wakeRollouts(db())));
    }
  },
);
