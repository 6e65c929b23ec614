import {
  createModelPrice,
  deleteModelPrice,
  estimateModelPrice,
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
});
