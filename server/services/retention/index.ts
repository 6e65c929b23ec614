import "server-only";

export { getRetention, HOUSEKEEPING_MINUTE, previewRetention, updateRetention } from "./retention";
export { runHousekeeping, scheduleHousekeeping } from "./run-housekeeping";
