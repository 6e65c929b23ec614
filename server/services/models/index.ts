import "server-only";

export { addBaseModel } from "./base-models/add-base-model";
export { knownBaseModel } from "./base-models/known-base-model";
export { licenseOf } from "./base-models/license-of";
export { getBaseModel, listBaseModels } from "./base-models/list-base-models";
export { removeBaseModel } from "./base-models/remove-base-model";
export { downloadCheckpointFile } from "./checkpoints/download-checkpoint-file";
export { getCheckpoint, listCheckpoints } from "./checkpoints/list-checkpoints";
export { requireCheckpoint, requireStoredCheckpoint } from "./checkpoints/require-checkpoint";
export { getLineage } from "./lineage/get-lineage";
