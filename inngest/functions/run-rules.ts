import { APP_ID, functionOptions } from "@/server/platform/jobs/catalogue";
import { ruleRunsQueued } from "@/server/platform/jobs/events";
import { executeRuleRuns, failRuleRuns } from "@/server/services/diagnostics";
import { inngest } from "../client";
import { jobContext } from "../job-context";

const NAME = "run-rules";

/** Events processed concurrently per project, each with up to 100 Rule Runs. */
const EVENTS_AT_ONCE = 2;

export const runRules = inngest.createFunction(
  {
    ...functionOptions(NAME),
    triggers: [ruleRunsQueued],
    concurrency: { limit: EVENTS_AT_ONCE, key: "event.data.projectId" },
    retries: 4,
    onFailure: async ({ event, error, step }) => {
      const { projectId, runIds } = event.data.event.data;
      await step.run("fail", () => failRuleRuns(jobContext(NAME, projectId), runIds, error.message));
    },
  },
  async ({ event: { data }, step }) =>
    step.run("execute", () => executeRuleRuns(jobContext(NAME, data.projectId), data.runIds)),
);

/** Without this, the Rule Runs of a cancelled job would stay queued for ever. */
export const failCancelledRuleRuns = inngest.createFunction(
  {
    ...functionOptions("fail-cancelled-rule-runs"),
    triggers: [{ event: "inngest/function.cancelled", if: `event.data.function_id == "${APP_ID}-${NAME}"` }],
  },
  async ({ event, step }) => {
    const { projectId, runIds } = event.data.event.data;
    await step.run("fail", () =>
      failRuleRuns(jobContext(NAME, projectId), runIds, "The background job was cancelled."),
    );
  },
);
