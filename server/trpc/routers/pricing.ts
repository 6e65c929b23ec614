import {
  createRepricing,
  exportCosts,
  getCosts,
  getRepricing,
  listRepricings,
  previewModelPattern,
  previewRepricing,
  priceUsage,
  undoRepricing,
} from "@/server/services/costs";
import {
  createModelPrice,
  deleteModelPrice,
  estimateModelPrice,
  getPriceCatalogue,
  listModelPrices,
  listModelPriceVersions,
  matchModelPrice,
  resetModelPrice,
  updateModelPrice,
} from "@/server/services/pricing";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const modelPricesRouter = router({
  list: query(listModelPrices),
  match: query(matchModelPrice),
  estimate: query(estimateModelPrice),
  versions: query(listModelPriceVersions),
  create: mutation(createModelPrice),
  update: mutation(updateModelPrice),
  reset: mutation(resetModelPrice),
  delete: mutation(deleteModelPrice),
  usage: query(priceUsage),
  previewPattern: query(previewModelPattern),
  catalogue: query(getPriceCatalogue),
});

export const costsRouter = router({
  get: query(getCosts),
  export: query(exportCosts),
});

export const repricingsRouter = router({
  preview: query(previewRepricing),
  list: query(listRepricings),
  get: query(getRepricing),
  create: mutation(createRepricing),
  undo: mutation(undoRepricing),
});
