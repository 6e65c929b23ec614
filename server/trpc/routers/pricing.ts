import { listModelPrices, matchModelPrice } from "@/server/services/pricing";
import { query } from "../procedures";
import { router } from "../trpc";

export const modelPricesRouter = router({ list: query(listModelPrices), match: query(matchModelPrice) });
