import "server-only";

export {
  createGatewayAlias,
  deleteGatewayAlias,
  getGatewayAlias,
  listGatewayAliases,
  updateGatewayAlias,
} from "./aliases";
export {
  createGatewayBudget,
  deleteGatewayBudget,
  deleteOldSpending,
  getGatewayBudget,
  listGatewayBudgets,
  updateGatewayBudget,
} from "./budgets";
export { completeGatewayChat, createGatewayEmbeddings, createGatewayResponse } from "./call-model";
export { completeChat } from "./deployments/complete-chat";
export { listServedModels } from "./deployments/list-served-models";
export {
  deleteOldAssignments,
  endGatewayExperiment,
  getGatewayExperiment,
  listGatewayExperiments,
  startGatewayExperiment,
  updateGatewayExperiment,
} from "./experiments";
export { listGatewayModels } from "./list-models";
export { getGatewayRecording, updateGatewayRecording } from "./recording/content-setting";
export { recordInterruptedCalls } from "./recording/record-interrupted-calls";
