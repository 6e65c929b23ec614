import { deleteProject } from "@/server/services/deletion";
import { getProject, renameProject } from "@/server/services/projects";
import { about, get, patch, project, remove } from "./line";

export const PROJECTS = about("Projects", [
  get(project, getProject),
  patch(project, renameProject),
  remove(project, deleteProject),
]);
