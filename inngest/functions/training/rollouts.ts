import { rolloutDue } from "@/server/platform/jobs/events";
import { runRollout } from "@/server/services/serving";
import { inngest } from "../../client";
import { jobContext } from "../../job-context";
import { inTurns, turnOptions } from "../../turns";

const RUN = "run-rollout";
/** Comparisons take minutes: the poll continues whatever takes longer. */
const TURNS = { turns: 5, pause: "5s" };

export const runRollouts = inngest.createFunction(
  { ...turnOptions(RUN, "decisionId"), triggers: [rolloutDue] },
  ({ event: { data }, step }) =>
    inTurns(step, TURNS, () => runRollout(jobContext(RUN, data.projectId), data.decisionId)),
);
