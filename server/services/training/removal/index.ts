import "server-only";

export { deleteCheckpoint, deleteJob } from "./delete-training";
export { listCheckpointDependents, listJobDependents } from "./list-dependents";
export { queueRemovalsOf, releaseRemovals, removedColumns } from "./queue-removals";
export { runRemoval, wakeRemovals } from "./run-removal";
