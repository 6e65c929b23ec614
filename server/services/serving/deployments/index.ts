import "server-only";

export { deployCheckpoint, rollBackDeployment } from "./deploy-checkpoint";
export { completeChat } from "./gateway/complete-chat";
export { listServedModels } from "./gateway/list-served-models";
export { getDeployment, listDeployments } from "./list-deployments";
export { runDeployment } from "./run-deployment";
export { startPlayground } from "./start-playground";
export { stopDeployment } from "./stop-deployment";
export { stopOrphans, wakeDeployments } from "./wake-deployments";
