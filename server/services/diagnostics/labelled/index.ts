export { type DiagnosedSignal, diagnoseSnapshot } from "./diagnose-snapshot";
export {
  type LabelledConversation,
  type LabelledError,
  type LabelledInput,
  labelledConversation,
  readLabelled,
  snapshotFromLabelled,
} from "./read-labelled";
