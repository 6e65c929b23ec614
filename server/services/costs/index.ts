import "server-only";

export { downloadCosts } from "./download-costs";
export { exportCosts } from "./export-costs";
export { getCosts } from "./get-costs";
export { previewModelPattern } from "./preview-pattern";
export { priceUsage } from "./price-usage";
export { monthOf } from "./project-month";
export { createRepricing } from "./repricing/create-repricing";
export { getRepricing, listRepricings } from "./repricing/list-repricings";
export { previewRepricing } from "./repricing/preview-repricing";
export { failRepricing, runRepricing } from "./repricing/run-repricing";
export { undoRepricing } from "./repricing/undo-repricing";
export { unfinishedRepricings } from "./repricing/unfinished-repricings";
export { summariseCosts } from "./summarise-costs";
export { costsByUser, countStaleCalls, forgetUserCosts, recountUserDays } from "./user-days";
