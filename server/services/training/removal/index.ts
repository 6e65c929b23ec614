import "server-only";

export { deleteCheckpoint, deleteJob } from "./delete-training";
export { listCheckpointDependents, listJobDependents } from "./list-dependents";
export { runRemoval, wakeRemovals } from "./run-removal";
