import {
  createRepricing,
  downloadCosts,
  exportCosts,
  getCosts,
  getRepricing,
  listRepricings,
  previewRepricing,
  undoRepricing,
} from "@/server/services/costs";
import { about, get, post, project } from "./line";

export const COSTS = about("Model prices", [
  get(`${project}/costs`, getCosts),
  get(`${project}/costs.csv`, downloadCosts),
  get(`${project}/cost-export`, exportCosts),
  get(`${project}/repricing-preview`, previewRepricing),
  get(`${project}/repricings`, listRepricings),
  post(`${project}/repricings`, createRepricing, 202),
  get(`${project}/repricings/:repricingId`, getRepricing),
  post(`${project}/repricings/:repricingId/undo`, undoRepricing, 202),
]);
