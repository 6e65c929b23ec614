import "server-only";

export { createSavedView } from "./create-saved-view";
export { deleteSavedView } from "./delete-saved-view";
export { listSavedViews } from "./list-saved-views";
export { updateSavedView } from "./update-saved-view";
