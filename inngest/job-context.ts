import { db } from "@/db/pool";
import type { Ctx, ProjectId } from "@/server/platform/context";

/** Returns the context of a job in a project. Besides session and key checks, the only place that mints a `ProjectId`. */
export const jobContext = (name: string, projectId: string): Ctx => ({
  db: db(),
  projectId: projectId as ProjectId,
  actor: { kind: "job", name },
});
