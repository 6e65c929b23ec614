import { db } from "@/db/pool";
import { evaluationDue } from "@/server/platform/jobs/events";
import { runEvaluation, wakeEvaluations } from "@/server/services/proof";
import { inngest } from "../client";
import { jobContext } from "../job-context";
import { inTurns, pollOptions, turnOptions } from "../turns";

const RUN = "run-evaluation";
/** Each waits up to 20 s for the trainer; the poll resumes whatever is left after them. */
const TURNS = { turns: 40, pause: "1s" };

export const runEvaluations = inngest.createFunction(
  { ...turnOptions(RUN, "evaluationId"), triggers: [evaluationDue] },
  ({ event: { data }, step }) =>
    inTurns(step, TURNS, () => runEvaluation(jobContext(RUN, data.projectId), data.evaluationId)),
);

export const pollEvaluations = inngest.createFunction(pollOptions("poll-evaluations"), ({ step }) =>
  step.run("wake", () => wakeEvaluations(db())),
);
