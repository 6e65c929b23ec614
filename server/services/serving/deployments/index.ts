import "server-only";

export { doubt } from "./change-deployment";
export { deployCheckpoint, rollBackDeployment } from "./deploy-checkpoint";
export { getDeployment, listDeployments } from "./list-deployments";
export { runDeployment } from "./run-deployment";
export { stopDeployment } from "./stop-deployment";
export { stopOrphans, wakeDeployments } from "./wake-deployments";
