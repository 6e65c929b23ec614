import { createSavedView, deleteSavedView, listSavedViews, updateSavedView } from "@/server/services/saved-views";
import { about, get, patch, post, project, remove } from "./line";

const views = `${project}/saved-views`;

export const SAVED_VIEWS = about("Saved views", [
  get(views, listSavedViews),
  post(views, createSavedView, 201),
  patch(`${views}/:savedViewId`, updateSavedView),
  remove(`${views}/:savedViewId`, deleteSavedView),
]);
