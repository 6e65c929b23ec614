import { addTrainer, getMetrics, listEvents, listTrainers, removeTrainer } from "@/server/services/fine-tuning";
import { accountMutation, query } from "../procedures";
import { router } from "../trpc";

export const fineTuningRouter = router({
  listEvents: query(listEvents),
  getMetrics: query(getMetrics),
  listTrainers: query(listTrainers),
  addTrainer: accountMutation(addTrainer),
  removeTrainer: accountMutation(removeTrainer),
});
