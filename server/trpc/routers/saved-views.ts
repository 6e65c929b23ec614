import { createSavedView, deleteSavedView, listSavedViews, updateSavedView } from "@/server/services/saved-views";
import { mutation, query } from "../procedures";
import { router } from "../trpc";

export const savedViewsRouter = router({
  list: query(listSavedViews),
  create: mutation(createSavedView),
  update: mutation(updateSavedView),
  remove: mutation(deleteSavedView),
});
