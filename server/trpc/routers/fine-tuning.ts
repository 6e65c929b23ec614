import {
  cancelExport,
  cancelJob,
  certifyCheckpoint,
  createExport,
  createJob,
  getCertificate,
  getExport,
  getJob,
  getLineage,
  listCertificates,
  listExports,
  listJobs,
  pauseJob,
  resumeJob,
  validateJob,
} from "@/server/services/fine-tuning";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const trainingJobsRouter = router({
  list: query(listJobs),
  get: query(getJob),
  create: mutation(createJob),
  validate: mutation(validateJob),
  cancel: mutation(cancelJob),
  pause: mutation(pauseJob),
  resume: mutation(resumeJob),
});

export const certificatesRouter = router({
  list: query(listCertificates),
  get: query(getCertificate),
  create: mutation(certifyCheckpoint),
});

export const modelExportsRouter = router({
  list: query(listExports),
  get: query(getExport),
  create: mutation(createExport),
  cancel: mutation(cancelExport),
});

export const lineageRouter = router({ get: query(getLineage) });
