import "server-only";

export { cancelExport } from "./cancel-export";
export { createExport } from "./create-export";
export { insertPlannedExport } from "./insert-export";
export { getExport, listExports } from "./list-exports";
export { checkPlannedExport, requirePlannable } from "./require-hub";
export { runExport, wakeExports } from "./run-export";
