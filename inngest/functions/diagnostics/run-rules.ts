import { APP_ID, functionOptions } from "@/server/platform/jobs/catalogue";
import { ruleRunsQueued } from "@/server/platform/jobs/events";
import { adjudicateRuleRuns, detectRuleRuns, failRuleRuns, recordRuleRuns } from "@/server/services/diagnostics";
import { inngest } from "../../client";
import { jobContext } from "../../job-context";

const NAME = "run-rules";

/**
 * Events processed concurrently per project and origin. Each origin has its own limit, so that neither a backfill nor an
 * adjudicator's slow answers make a person wait.
 */
const EVENTS_AT_ONCE = 2;
const LANE =
  "event.data.projectId + (has(event.data.origin) ? event.data.origin : '') + (has(event.data.bulk) ? 'bulk' : '')";

/** Runs requested by a person go first, then automatic ones and large selections, then backfills: by up to 10 minutes each. */
const PRIORITY =
  "has(event.data.bulk) ? 0 : has(event.data.origin) ? (event.data.origin == 'on_demand' ? 600 : (event.data.origin == 'backfill' ? -600 : 0)) : 0";

/** Runs adjudicated per step: after a crash, only the questions in progress are asked again. */
const ADJUDICATED_AT_ONCE = 20;

export const runRules = inngest.createFunction(
  {
    ...functionOptions(NAME),
    triggers: [ruleRunsQueued],
    concurrency: { limit: EVENTS_AT_ONCE, key: LANE },
    priority: { run: PRIORITY },
    retries: 4,
    onFailure: async ({ event, error, step }) => {
      const { projectId, runIds } = event.data.event.data;
      await step.run("fail", async () => {
        await failRuleRuns(jobContext(NAME, projectId), runIds, error.message, { preferOwn: true });
      });
    },
  },
  async ({ event: { data }, step }) => {
    const ctx = jobContext(NAME, data.projectId);
    // Steps carry ids only; detections are stored in between, and most batches have nothing to adjudicate.
    const { undecided, failed } = await step.run("detect", () => detectRuleRuns(ctx, data.runIds));
    for (let from = 0; from < undecided.length; from += ADJUDICATED_AT_ONCE) {
      await step.run(`adjudicate-${from / ADJUDICATED_AT_ONCE}`, () =>
        adjudicateRuleRuns(ctx, undecided.slice(from, from + ADJUDICATED_AT_ONCE)),
      );
    }
    if (undecided.length > 0) {
      const recorded = await step.run("record", () => recordRuleRuns(ctx, undecided));
      failed.push(...recorded.failed);
    }
    // If other Runs succeed, each failed one is retried by a job of its own; if all fail, the step fails and is retried.
    if (failed.length > 0) {
      await step.sendEvent(
        "retry-failed",
        failed.map((id) => ruleRunsQueued.create({ ...data, runIds: [id] })),
      );
    }
  },
);

/** Without this, the Rule Runs of a cancelled job would stay queued forever. */
export const failCancelledRuleRuns = inngest.createFunction(
  {
    ...functionOptions("fail-cancelled-rule-runs"),
    triggers: [{ event: "inngest/function.cancelled", if: `event.data.function_id == "${APP_ID}-${NAME}"` }],
  },
  async ({ event, step }) => {
    const { projectId, runIds } = event.data.event.data;
    await step.run("fail", async () => {
      await failRuleRuns(jobContext(NAME, projectId), runIds, "The background job was cancelled.");
    });
  },
);
