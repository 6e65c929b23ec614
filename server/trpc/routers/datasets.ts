import {
  batchExamples,
  checkDataset,
  createDataset,
  createExample,
  deleteDataset,
  deleteExample,
  diffVersions,
  exampleFacets,
  getDataset,
  getExample,
  getVersion,
  listDatasets,
  listExamples,
  listVersions,
  restoreVersion,
  updateDataset,
  updateExample,
} from "@/server/services/datasets";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const datasetsRouter = router({
  list: query(listDatasets),
  get: query(getDataset),
  check: query(checkDataset),
  create: mutation(createDataset),
  update: mutation(updateDataset),
  delete: mutation(deleteDataset),
});

export const examplesRouter = router({
  list: query(listExamples),
  get: query(getExample),
  facets: query(exampleFacets),
  create: mutation(createExample),
  update: mutation(updateExample),
  delete: mutation(deleteExample),
  batch: mutation(batchExamples),
});

export const datasetVersionsRouter = router({
  list: query(listVersions),
  get: query(getVersion),
  diff: query(diffVersions),
  restore: mutation(restoreVersion),
});
