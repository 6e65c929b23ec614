import "server-only";

export { deployCheckpoint, rollBackDeployment } from "./deploy-checkpoint";
export { getDeployment, listDeployments } from "./list-deployments";
export { type EnsureParity, runDeployment } from "./run-deployment";
export { startPlayground } from "./start-playground";
export { stopDeployment } from "./stop-deployment";
export { stopOrphans, wakeDeployments } from "./wake-deployments";
