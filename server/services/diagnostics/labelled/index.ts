export { type DiagnosedSignal, diagnoseSnapshot } from "./diagnose-snapshot";
export { generateLabelled } from "./generate-labelled";
export { between, pick, randomStream } from "./random";
export {
  type LabelledConversation,
  type LabelledError,
  type LabelledInput,
  labelledConversation,
  readLabelled,
  snapshotFromLabelled,
} from "./read-labelled";
