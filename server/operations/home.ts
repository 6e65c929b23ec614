import { getHome, lastVisit } from "@/server/services/home";
import { get, project, under } from "./row";

export const HOME = {
  home: under("Home", {
    get: get(`${project}/home`, getHome),
    lastVisit: get(`${project}/last-visit`, lastVisit),
  }),
};
