import {
  createRepricing,
  downloadCosts,
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
import { get, patch, post, project, remove, under } from "./row";

/** The project comes from the key or from the path. */
const both = (path: string) => [path, `${project}${path}`];

export const PRICING = {
  modelPrices: under("Model prices", {
    list: get(both("/model-prices"), listModelPrices),
    create: post(both("/model-prices"), createModelPrice, 201),
    update: patch(both("/model-prices/:modelPriceId"), updateModelPrice),
    reset: remove(both("/model-prices/:modelPriceId/override"), resetModelPrice),
    delete: remove(both("/model-prices/:modelPriceId"), deleteModelPrice),
    versions: get(both("/model-prices/:modelPriceId/versions"), listModelPriceVersions),
    match: get(both("/model-price-matches"), matchModelPrice),
    estimate: post(both("/model-price-estimates"), estimateModelPrice),
    usage: get(both("/model-price-usage"), priceUsage),
    previewPattern: post(both("/model-pattern-previews"), previewModelPattern),
    catalogue: get(both("/model-price-catalogue"), getPriceCatalogue),
  }),
  costs: under("Model prices", {
    get: get(`${project}/costs`, getCosts),
    download: get(`${project}/costs.csv`, downloadCosts),
    export: get(`${project}/cost-export`, exportCosts),
  }),
  repricings: under("Model prices", {
    preview: get(`${project}/repricing-preview`, previewRepricing),
    list: get(`${project}/repricings`, listRepricings),
    create: post(`${project}/repricings`, createRepricing, 202),
    get: get(`${project}/repricings/:repricingId`, getRepricing),
    undo: post(`${project}/repricings/:repricingId/undo`, undoRepricing, 202),
  }),
};
