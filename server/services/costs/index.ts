import "server-only";

export { createRepricing } from "./create-repricing";
export { downloadCosts } from "./download-costs";
export { exportCosts } from "./export-costs";
export { getCosts } from "./get-costs";
export { getRepricing, listRepricings } from "./list-repricings";
export { previewModelPattern } from "./preview-pattern";
export { previewRepricing } from "./preview-repricing";
export { priceUsage } from "./price-usage";
export { failRepricing, runRepricing } from "./run-repricing";
export { summariseCosts } from "./summarise-costs";
export { undoRepricing } from "./undo-repricing";
export { unfinishedRepricings } from "./unfinished-repricings";
