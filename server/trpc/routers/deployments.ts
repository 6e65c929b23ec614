import {
  deployCheckpoint,
  getDeployment,
  listDeployments,
  rollBackDeployment,
  startPlayground,
  stopDeployment,
} from "@/server/services/fine-tuning";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const deploymentsRouter = router({
  list: query(listDeployments),
  get: query(getDeployment),
  deploy: mutation(deployCheckpoint),
  stop: mutation(stopDeployment),
  rollBack: mutation(rollBackDeployment),
  startPlayground: mutation(startPlayground),
});
