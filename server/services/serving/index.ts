import "server-only";

export {
  deployCheckpoint,
  doubt,
  findTarget,
  getDeployment,
  listDeployments,
  rollBackDeployment,
  runDeployment,
  type ServedDeployment,
  servedNames,
  startPlayground,
  stopDeployment,
  stopOrphans,
  type Target,
  wakeDeployments,
} from "./deployments";
export { queueRollout } from "./rollouts/queue-rollout";
export { runRollout, wakeRollouts } from "./rollouts/run-rollout";
