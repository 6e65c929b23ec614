import "server-only";

export { createSavedView } from "./create-saved-view";
export { deleteSavedView } from "./delete-saved-view";
export { listPinnedCharts } from "./list-pinned-charts";
export { listSavedViews } from "./list-saved-views";
export { updatePinnedCharts } from "./update-pinned-charts";
export { updateSavedView } from "./update-saved-view";
