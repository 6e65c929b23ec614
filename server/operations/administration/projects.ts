import { deleteProject } from "@/server/services/deletion";
import { leaveProject } from "@/server/services/members";
import { getProject, listProjects, renameProject, startProject } from "@/server/services/projects";
import { get, page, patch, project, remove, under } from "../row";

export const PROJECTS = {
  projects: under("Projects", {
    get: get(project, getProject),
    rename: patch(project, renameProject),
    delete: remove(project, deleteProject),
    list: page(listProjects),
    create: page(startProject),
    leave: page(leaveProject),
  }),
};
