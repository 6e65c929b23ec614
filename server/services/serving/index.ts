import "server-only";

export {
  deployCheckpoint,
  doubt,
  getDeployment,
  listDeployments,
  rollBackDeployment,
  runDeployment,
  stopDeployment,
  stopOrphans,
  wakeDeployments,
} from "./deployments";
export { startPlayground } from "./playgrounds";
export { queueRollout } from "./rollouts/queue-rollout";
export { runRollout, wakeRollouts } from "./rollouts/run-rollout";
export { findTarget, type ServedDeployment, servedNames, type Target } from "./targets";
