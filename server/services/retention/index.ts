import "server-only";

export { keepHouse, scheduleHousekeeping } from "./keep-house";
export { getRetention, HOUSEKEEPING_MINUTE, previewRetention, updateRetention } from "./retention";
