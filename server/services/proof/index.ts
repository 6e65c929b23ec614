import "server-only";

export { certifyCheckpoint, getCertificate, listCertificates, runCertificate, wakeCertificates } from "./certificates";
export { ensureParity } from "./certificates/ensure-parity";
export {
  answeredFor,
  cancelEvaluation,
  createEvaluation,
  forgetEvaluations,
  getEvaluation,
  listEvaluationRows,
  listEvaluations,
  nextBlindRow,
  playEvaluation,
  replayedFrom,
  reviewEvaluationRow,
  runEvaluation,
  wakeEvaluations,
} from "./evaluations";
export { readEvaluation } from "./evaluations/read-evaluations";
export { startEvaluation } from "./evaluations/start-evaluation";
export { nonInferiority } from "./evaluations/verdict/paired";
export { cancelJudging, judgeEvaluation, previewJudging, runJudging, wakeJudgings } from "./judging";
export {
  createVariant,
  deleteVariant,
  estimateProof,
  faultyTurns,
  getVariant,
  handOffVariant,
  handOffVariantAsTicket,
  listVariants,
  playProof,
  proveVariant,
  recordedTurn,
  tryVariant,
} from "./variants";
