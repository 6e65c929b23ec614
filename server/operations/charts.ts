import { downloadChart, queryChart } from "@/server/services/charts";
import { get, project, under } from "./row";

export const CHARTS = {
  charts: under("Charts", {
    query: get(`${project}/chart-data`, queryChart),
    download: get(`${project}/chart-data.csv`, downloadChart),
  }),
};
