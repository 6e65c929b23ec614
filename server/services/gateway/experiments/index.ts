export { deleteOldAssignments } from "./delete-old-assignments";
export { endGatewayExperiment } from "./end-experiment";
export { getGatewayExperiment, listGatewayExperiments } from "./list-experiments";
export { startGatewayExperiment } from "./start-experiment";
export { updateGatewayExperiment } from "./update-experiment";
