import { and, inArray, isNull } from "drizzle-orm";
import type { Db } from "@/db/client";
import { backfills } from "@/db/schema";
import { UNFINISHED_SCAN_STATUSES } from "./schemas";

/** Returns the backfills in progress of all projects, oldest first. */
export const unfinishedBackfills = (db: Db) =>
  db
    .select({ id: backfills.id, projectId: backfills.projectId })
    .from(backfills)
    .where(and(inArray(backfills.scanStatus, [...UNFINISHED_SCAN_STATUSES]), isNull(backfills.pausedAt)))
    .orderBy(backfills.createdAt, backfills.id);
