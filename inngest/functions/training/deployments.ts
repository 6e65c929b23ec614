import { db } from "@/db/pool";
import { deploymentDue } from "@/server/platform/jobs/events";
import { runDeployment, stopOrphans, wakeDeployments, wakeRollouts } from "@/server/services/serving";
import { inngest } from "../../client";
import { jobContext } from "../../job-context";
import { inPasses, inTurns, pollOptions, turnOptions } from "../../turns";

const RUN = "run-deployment";
/** A turn waits a few seconds for a deployment in progress; the poll continues with one that takes longer than all turns. */
const TURNS = { turns: 30, pause: "1s" };

export const runDeployments = inngest.createFunction(
  { ...turnOptions(RUN, "deploymentId"), triggers: [deploymentDue] },
  ({ event: { data }, step }) =>
    inTurns(step, TURNS, () => runDeployment(jobContext(RUN, data.projectId), data.deploymentId)),
);

export const pollDeployments = inngest.createFunction(pollOptions("poll-deployments"), async ({ step }) => {
  await step.run("stop-orphans", () => stopOrphans(db()));
  await inPasses(step, (n) =>
    step.run(`wake-${n}`, async () => (await wakeDeployments(db())) + (await wakeRollouts(db()))),
  );
});
