import {
  createSavedView,
  deleteSavedView,
  listPinnedCharts,
  listSavedViews,
  updatePinnedCharts,
  updateSavedView,
} from "@/server/services/saved-views";
import { get, patch, post, project, remove, under } from "./row";

const views = `${project}/saved-views`;

export const SAVED_VIEWS = {
  savedViews: under("Saved views", {
    list: get(views, listSavedViews),
    create: post(views, createSavedView, 201),
    update: patch(`${views}/:savedViewId`, updateSavedView),
    delete: remove(`${views}/:savedViewId`, deleteSavedView),
  }),
  pinnedCharts: under("Charts", {
    list: get(`${project}/pinned-charts`, listPinnedCharts),
    update: patch(`${project}/pinned-charts`, updatePinnedCharts),
  }),
};
