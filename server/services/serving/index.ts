import "server-only";

export {
  completeChat,
  deployCheckpoint,
  getDeployment,
  listDeployments,
  listServedModels,
  rollBackDeployment,
  runDeployment,
  startPlayground,
  stopDeployment,
  stopOrphans,
  wakeDeployments,
} from "./deployments";
export { queueRollout } from "./rollouts/queue-rollout";
export { runRollout, wakeRollouts } from "./rollouts/run-rollout";
