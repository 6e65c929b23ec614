import { completeChat, listServedModels } from "@/server/services/gateway";
import { cancelExport, createExport, getExport, listExports } from "@/server/services/model-exports";
import {
  deployCheckpoint,
  getDeployment,
  listDeployments,
  rollBackDeployment,
  startPlayground,
  stopDeployment,
} from "@/server/services/serving";
import { get, post, project, under } from "./row";

const base = `${project}/fine-tuning`;

export const SERVING = {
  deployments: under("Fine-tuning", {
    deploy: post(`${base}/checkpoints/:checkpointId/deploy`, deployCheckpoint),
    list: get(`${base}/deployments`, listDeployments),
    get: get(`${base}/deployments/:deploymentId`, getDeployment),
    stop: post(`${base}/deployments/:deploymentId/stop`, stopDeployment),
    rollBack: post(`${base}/deployments/:deploymentId/roll-back`, rollBackDeployment),
    startPlayground: post(`${base}/playgrounds`, startPlayground, 202),
    completeChat: post(`${project}/deployments/:deploymentId/v1/chat/completions`, completeChat),
    models: get(`${project}/deployments/:deploymentId/v1/models`, listServedModels),
  }),
  modelExports: under("Fine-tuning", {
    create: post(`${base}/export`, createExport, 202),
    list: get(`${base}/exports`, listExports),
    get: get(`${base}/exports/:exportId`, getExport),
    cancel: post(`${base}/exports/:exportId/cancel`, cancelExport),
  }),
};
