import "server-only";

export { getHome } from "./get-home";
export { lastVisit } from "./last-visit";
