import { db } from "@/db/pool";
import { dueTuningConfigs, evaluateTrigger } from "@/server/services/training";
import { inngest } from "../../client";
import { jobContext } from "../../job-context";
import { pollOptions } from "../../turns";

const NAME = "evaluate-tuning-triggers";

export const evaluateTuningTriggers = inngest.createFunction(pollOptions(NAME), async ({ step }) => {
  const due = await step.run("due", () => dueTuningConfigs(db()));
  for (const { projectId, configId } of due) {
    await step.run(`evaluate-${configId}`, async () => {
      // A trigger that fails must not keep the others from being evaluated.
      const decision = await evaluateTrigger(jobContext(NAME, projectId), configId).catch((error: Error) => error);
      return decision instanceof Error ? { error: decision.message } : { outcome: decision?.outcome ?? null };
    });
  }
});
