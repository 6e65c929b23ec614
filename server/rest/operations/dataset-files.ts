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
import { about, get, post, project } from "./line";

const dataset = `${project}/datasets/:datasetId`;

/** Import and export of Datasets as files. */
export const DATASET_FILES = about("Datasets", [
  post(`${dataset}/import-preview`, previewImport),
  get(`${dataset}/imports`, listImports),
  post(`${dataset}/imports`, createImport, 202),
  get(`${dataset}/imports/:importId`, getImport),
  get(`${dataset}/imports/:importId/rejects`, downloadRejects),
  post(`${dataset}/imports/:importId/cancel`, cancelImport),
  get(`${dataset}/export-preview`, exportPreview),
  get(`${dataset}/export`, exportDataset),
]);
