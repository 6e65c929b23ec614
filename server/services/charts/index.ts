import "server-only";

export { downloadChart } from "./download-chart";
export { queryChart } from "./query-chart";
