import "server-only";

export { cancelExport } from "./cancel-export";
export { createExport } from "./create-export";
export { getExport, listExports } from "./list-exports";
export { runExport, wakeExports } from "./run-export";
