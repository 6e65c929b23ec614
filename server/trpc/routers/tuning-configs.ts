import {
  addBaseModel,
  createTuningConfig,
  deleteTuningConfig,
  getCheckpoint,
  getTuningConfig,
  listBaseModels,
  listCheckpoints,
  listTriggerDecisions,
  listTuningConfigs,
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
});
export const baseModelsRouter = router({ list: query(listBaseModels), add: mutation(addBaseModel) });
export const checkpointsRouter = router({ list: query(listCheckpoints), get: query(getCheckpoint) });
