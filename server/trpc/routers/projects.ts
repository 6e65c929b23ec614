import { deleteProject } from "@/server/services/deletion";
import { leaveProject } from "@/server/services/members";
import { getProject, listProjects, renameProject, startProject } from "@/server/services/projects";
import { accountMutation, accountQuery, mutation, query } from "../procedures";
import { router } from "../trpc";

export const projectsRouter = router({
  list: accountQuery(listProjects),
  create: accountMutation(startProject),
  leave: accountMutation(leaveProject),
  get: query(getProject),
  rename: mutation(renameProject),
  delete: mutation(deleteProject),
});
