import { previewModelPattern, priceUsage } from "@/server/services/costs";
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
import { about, get, patch, post, project, remove } from "./line";

export const PRICING = about(
  "Model prices",
  // The project comes from the key or from the path.
  ["", project].flatMap((of) => [
    get(`${of}/model-prices`, listModelPrices),
    post(`${of}/model-prices`, createModelPrice, 201),
    patch(`${of}/model-prices/:modelPriceId`, updateModelPrice),
    remove(`${of}/model-prices/:modelPriceId/override`, resetModelPrice),
    remove(`${of}/model-prices/:modelPriceId`, deleteModelPrice),
    get(`${of}/model-prices/:modelPriceId/versions`, listModelPriceVersions),
    get(`${of}/model-price-matches`, matchModelPrice),
    post(`${of}/model-price-estimates`, estimateModelPrice),
    get(`${of}/model-price-usage`, priceUsage),
    post(`${of}/model-pattern-previews`, previewModelPattern),
    get(`${of}/model-price-catalogue`, getPriceCatalogue),
  ]),
);
