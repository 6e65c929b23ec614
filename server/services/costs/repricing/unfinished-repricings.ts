import { inArray } from "drizzle-orm";
import type { Db } from "@/db/client";
import { repricings } from "@/db/schema";

/** Returns the repricings and undos in progress of all projects, oldest first. */
export const unfinishedRepricings = (db: Db) =>
  db
    .select({ id: repricings.id, projectId: repricings.projectId })
    .from(repricings)
    .where(inArray(repricings.state, ["queued", "running", "undoing"]))
    .orderBy(repricings.createdAt, repricings.id);
