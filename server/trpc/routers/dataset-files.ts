import {
  cancelImport,
  createImport,
  exportPreview,
  getImport,
  listImports,
  previewImport,
} from "@/server/services/datasets";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const datasetImportsRouter = router({
  list: query(listImports),
  get: query(getImport),
  preview: query(previewImport),
  create: mutation(createImport),
  cancel: mutation(cancelImport),
});
export const datasetExportsRouter = router({ preview: query(exportPreview) });
