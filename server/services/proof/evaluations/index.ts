import "server-only";

export { cancelEvaluation } from "./cancel-evaluation";
export { createEvaluation } from "./create-evaluation";
export { answeredFor, forgetEvaluations, replayedFrom } from "./forget-evaluations";
export { listEvaluationRows } from "./list-evaluation-rows";
export { getEvaluation, listEvaluations } from "./list-evaluations";
export { playEvaluation } from "./play-evaluation";
export { nextBlindRow, reviewEvaluationRow } from "./review-rows";
export { runEvaluation, wakeEvaluations } from "./run-evaluation";
