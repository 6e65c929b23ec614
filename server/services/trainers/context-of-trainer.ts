import type { Db } from "@/db/client";
import type { Ctx, ProjectId } from "@/server/platform/context";

/**
 * The context in which what a trainer reports about one of its jobs is stored. Jobs are read by id alone: a trainer belongs to
 * the installation, and the job says which project it belongs to.
 */
export const contextOfTrainer = (db: Db, projectId: string): Ctx => ({
  db,
  projectId: projectId as ProjectId,
  actor: { kind: "job", name: "trainer" },
});
