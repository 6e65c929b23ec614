import "server-only";

export { queryChart } from "./query-chart";
