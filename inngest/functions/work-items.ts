import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { trackerPollDue, workItemDue } from "@/server/platform/jobs/events";
import { handOffByRules, pollTrackers, runWorkItem, schedulePolls } from "@/server/services/diagnostics";
import { inngest } from "../client";
import { jobContext } from "../job-context";

/** Cron's resolution is a minute, and a ticket that was closed there should be seen sooner. */
const PASSES = 3;
const INTERVAL = "20s";

export const scheduleTrackers = inngest.createFunction(
  {
    ...functionOptions("schedule-trackers"),
    triggers: [{ cron: "* * * * *" }],
    concurrency: 1,
    // The next minute's run is the retry.
    retries: 0,
  },
  async ({ step }) => {
    for (let pass = 0; pass < PASSES; pass += 1) {
      if (pass > 0) await step.sleep(`wait-${pass}`, INTERVAL);
      await step.run(`hand-off-${pass}`, () => handOffByRules(db()));
      await step.run(`schedule-${pass}`, () => schedulePolls(db()));
    }
  },
);

const POLL = "poll-trackers";
const PROJECTS_AT_ONCE = 4;

export const pollProjectTrackers = inngest.createFunction(
  {
    ...functionOptions(POLL),
    triggers: [trackerPollDue],
    // A slow tracker holds up its own project only.
    concurrency: [{ limit: 1, key: "event.data.projectId" }, { limit: PROJECTS_AT_ONCE }],
    retries: 0,
  },
  async ({ event: { data }, step }) => step.run("poll", () => pollTrackers(jobContext(POLL, data.projectId))),
);

const SYNC = "sync-work-item";
/** Turns of one run. What is left goes to a new run, queued behind other pending ones. */
const TURNS = 40;
const AT_ONCE = 3;

export const syncWorkItems = inngest.createFunction(
  {
    ...functionOptions(SYNC),
    triggers: [workItemDue],
    concurrency: [
      { limit: 1, key: "event.data.workItemId" },
      { limit: AT_ONCE, key: "event.data.projectId" },
    ],
    // A tracker's failures are handled by the service; these are the database's. What is left over, the schedule wakes again.
    retries: 5,
  },
  async ({ event: { data }, step }) => {
    const ctx = jobContext(SYNC, data.projectId);
    for (let n = 0; n < TURNS; n += 1) {
      const { done, waitUntil } = await step.run(`turn-${n}`, () => runWorkItem(ctx, data.workItemId));
      if (done) return { done };
      if (waitUntil) await step.sleepUntil(`wait-${n}`, new Date(waitUntil));
    }
    await step.sendEvent("go-on", workItemDue.create(data));
    return { done: false };
  },
);
