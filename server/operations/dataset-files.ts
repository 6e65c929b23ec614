import {
  cancelImport,
  createImport,
  downloadRejects,
  exportDataset,
  exportPreview,
  getImport,
  listImports,
  previewImport,
} from "@/server/services/datasets";
import { get, post, project, under } from "./row";

const dataset = `${project}/datasets/:datasetId`;

export const DATASET_FILES = {
  datasetImports: under("Datasets", {
    preview: post(`${dataset}/import-preview`, previewImport),
    list: get(`${dataset}/imports`, listImports),
    create: post(`${dataset}/imports`, createImport, 202),
    get: get(`${dataset}/imports/:importId`, getImport),
    downloadRejects: get(`${dataset}/imports/:importId/rejects`, downloadRejects),
    cancel: post(`${dataset}/imports/:importId/cancel`, cancelImport),
  }),
  datasetExports: under("Datasets", {
    preview: get(`${dataset}/export-preview`, exportPreview),
    download: get(`${dataset}/export`, exportDataset),
  }),
};
