import { inArray } from "drizzle-orm";
import type { Db } from "@/db/client";
import { ruleRuns } from "@/db/schema";

/** Returns the queued and running Rule Runs of all projects, oldest first. */
export const unfinishedRuleRuns = (db: Db) =>
  db
    .select({ id: ruleRuns.id, projectId: ruleRuns.projectId, origin: ruleRuns.origin })
    .from(ruleRuns)
    .where(inArray(ruleRuns.status, ["queued", "running"]))
    .orderBy(ruleRuns.createdAt, ruleRuns.id);
