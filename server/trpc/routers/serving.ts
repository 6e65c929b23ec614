import {
  cancelExport,
  certifyCheckpoint,
  createExport,
  getCertificate,
  getExport,
  getLineage,
  listCertificates,
  listExports,
} from "@/server/services/fine-tuning";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

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
