import {
  cancelExport,
  certifyCheckpoint,
  createExport,
  deployCheckpoint,
  getCertificate,
  getDeployment,
  getExport,
  getLineage,
  listCertificates,
  listDeployments,
  listExports,
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
export const certificatesRouter = router({
  list: query(listCertificates),
  get: query(getCertificate),
  certify: mutation(certifyCheckpoint),
});
export const modelExportsRouter = router({
  list: query(listExports),
  get: query(getExport),
  create: mutation(createExport),
  cancel: mutation(cancelExport),
});
export const lineageRouter = router({ get: query(getLineage) });
