import { db } from "@/db/pool";
import { functionOptions } from "@/server/platform/jobs/catalogue";
import { trackerPollDue, workItemDue } from "@/server/platform/jobs/events";
import { handOffByRules, pollTrackers, runWorkItem, schedulePolls } from "@/server/services/diagnostics";
import { inngest } from "../../client";
import { jobContext } from "../../job-context";
import { inPasses, pollOptions, turnOptions } from "../../turns";

export const scheduleTrackers = inngest.createFunction(pollOptions("schedule-trackers"), ({ step }) =>
  inPasses(step, async (n) => {
    await step.run(`hand-off-${n}`, () => handOffByRules(db()));
    await step.run(`schedule-${n}`, () => schedulePolls(db()));
  }),
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
  { ...turnOptions(SYNC, "workItemId", AT_ONCE), triggers: [workItemDue] },
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
