import "server-only";

export { addBaseModel } from "./base-models/add-base-model";
export { hubAccess } from "./base-models/hub-access";
export { type KnownBaseModel, knownBaseModel } from "./base-models/known-base-model";
export { licenseOf } from "./base-models/license-of";
export { getBaseModel, listBaseModels } from "./base-models/list-base-models";
export { removeBaseModel } from "./base-models/remove-base-model";
export { downloadCheckpointFile } from "./checkpoints/download-checkpoint-file";
export { holdCheckpoints } from "./checkpoints/hold-checkpoints";
export { getCheckpoint, listCheckpoints } from "./checkpoints/list-checkpoints";
export { requireCheckpoint, requireStoredCheckpoint } from "./checkpoints/require-checkpoint";
export { setTokenizerPre } from "./checkpoints/set-tokenizer-pre";
export { getLineage } from "./lineage/get-lineage";
