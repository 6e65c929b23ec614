import { db } from "@/db/pool";
import { compactionContinued } from "@/server/platform/jobs/events";
import { compactContent, runningCompactions } from "@/server/services/telemetry";
import { inngest } from "../client";
import { jobContext } from "../job-context";
import { pollOptions } from "../turns";

const NAME = "compact-content";
const STEP_MS = 10_000;
/** At most half of each minute is spent on this work, so that the rest of the installation does not notice. */
const STEPS = 3;

export const compactStoredContent = inngest.createFunction(pollOptions(NAME, compactionContinued), async ({ step }) => {
  for (let n = 0; n < STEPS; n += 1) {
    const left = await step.run(`turn-${n}`, async () => {
      const [projectId] = await runningCompactions(db());
      if (projectId === undefined) return false;
      await compactContent(jobContext(NAME, projectId), { forMs: STEP_MS });
      return true;
    });
    if (!left) return;
  }
});
