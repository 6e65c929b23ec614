export { areaUnderCurve } from "./area-under-curve";
export { type DiagnosedSignal, diagnoseSnapshot } from "./diagnose-snapshot";
export { generateLabelled } from "./generate-labelled";
export { hashOf, isHeldOut } from "./held-out";
export { between, randomStream } from "./random";
export {
  type LabelledConversation,
  type LabelledError,
  type LabelledInput,
  readLabelled,
  snapshotFromLabelled,
} from "./read-labelled";
