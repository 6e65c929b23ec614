import { accountVerb } from "@/server/platform/verb";
import { createProject } from "./create-project";
import { createdProjectReply, createProjectInput } from "./schemas";

export const startProject = accountVerb(
  {
    name: "projects.create",
    summary: "Start a project. Whoever starts it owns it; its default key is shown in this answer only.",
    effect: "write",
    input: createProjectInput,
    reply: createdProjectReply,
  },
  ({ db, userId }, { name }) => createProject(db, { name, ownerUserId: userId }),
);
