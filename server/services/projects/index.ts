import "server-only";

export { createdProjectNote, createProject } from "./create-project";
export { enterProject } from "./enter-project";
export { getProject } from "./get-project";
export { listProjects } from "./list-projects";
export { renameProject } from "./rename-project";
export { roleIn } from "./role-in";
export { startProject } from "./start-project";
