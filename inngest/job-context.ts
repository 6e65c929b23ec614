import { db } from "@/db/pool";
import type { Ctx, ProjectId } from "@/server/platform/context";

/** How a job acts in a project: the one place besides sign-in and keys where a `ProjectId` is minted. */
export const jobContext = (name: string, projectId: string): Ctx => ({
  db: db(),
  projectId: projectId as ProjectId,
  actor: { kind: "job", name },
});
