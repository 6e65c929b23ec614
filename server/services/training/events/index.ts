import "server-only";

export { getMetrics } from "./get-metrics";
export { listEvents } from "./list-events";
export { storeEvents } from "./store-events";
export { streamEvents } from "./stream-events";
