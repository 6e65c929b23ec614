import "server-only";

export { cancelJudging } from "./cancel-judging";
export { judgeEvaluation } from "./judge-evaluation";
export { previewJudging } from "./preview-judging";
export { runJudging, wakeJudgings } from "./run-judging";
