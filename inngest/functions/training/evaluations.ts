import { db } from "@/db/pool";
import { evaluationDue, judgingDue } from "@/server/platform/jobs/events";
import { runEvaluation, runJudging, wakeEvaluations, wakeJudgings } from "@/server/services/proof";
import { inngest } from "../../client";
import { jobContext } from "../../job-context";
import { inTurns, pollOptions, turnOptions } from "../../turns";

const RUN = "run-evaluation";
const JUDGE = "judge-evaluation";
/** Each waits up to 20 s for the trainer; the poll resumes whatever is left after them. */
const TURNS = { turns: 40, pause: "1s" };
/** More than the largest evaluation takes, at 40 questions a turn. */
const JUDGING_TURNS = { turns: 60, pause: "1s" };

export const runEvaluations = inngest.createFunction(
  { ...turnOptions(RUN, "evaluationId"), triggers: [evaluationDue] },
  ({ event: { data }, step }) =>
    inTurns(step, TURNS, () => runEvaluation(jobContext(RUN, data.projectId), data.evaluationId)),
);

/** One at a time in a project: they share the daily budget of one connection. */
export const judgeEvaluations = inngest.createFunction(
  { ...turnOptions(JUDGE, "evaluationId", 1), triggers: [judgingDue] },
  ({ event: { data }, step }) =>
    inTurns(step, JUDGING_TURNS, () => runJudging(jobContext(JUDGE, data.projectId), data.evaluationId)),
);

export const pollEvaluations = inngest.createFunction(pollOptions("poll-evaluations"), async ({ step }) => ({
  evaluations: await step.run("wake", () => wakeEvaluations(db())),
  judgings: await step.run("wake-judgings", () => wakeJudgings(db())),
}));
