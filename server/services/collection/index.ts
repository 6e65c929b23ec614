import "server-only";

export { addConversationsToDatasets, correctAnswer, previewConversations } from "./adding/add-conversations";
export { collectSettled } from "./passes/collect-settled";
export {
  cancelCollectionPass,
  createCollectionPass,
  getCollectionPass,
  listCollectionPasses,
} from "./passes/collection-passes";
export { unfinishedCollectionPasses } from "./passes/passes";
export { previewCollection, previewObjective } from "./passes/preview-collection";
export { failCollectionPass, runCollectionPass } from "./passes/run-collection-pass";
