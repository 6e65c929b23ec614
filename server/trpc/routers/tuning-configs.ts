import {
  addBaseModel,
  createTuningConfig,
  deleteTuningConfig,
  getBaseModel,
  getCheckpoint,
  getTuningConfig,
  listBaseModels,
  listCheckpoints,
  listRolloutDecisions,
  listTriggerDecisions,
  listTuningConfigs,
  removeBaseModel,
  updateTuningConfig,
} from "@/server/services/fine-tuning";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const tuningConfigsRouter = router({
  list: query(listTuningConfigs),
  get: query(getTuningConfig),
  create: mutation(createTuningConfig),
  update: mutation(updateTuningConfig),
  remove: mutation(deleteTuningConfig),
  decisions: query(listTriggerDecisions),
  rollouts: query(listRolloutDecisions),
});
export const baseModelsRouter = router({
  list: query(listBaseModels),
  get: query(getBaseModel),
  add: mutation(addBaseModel),
  remove: mutation(removeBaseModel),
});
export const checkpointsRouter = router({ list: query(listCheckpoints), get: query(getCheckpoint) });
