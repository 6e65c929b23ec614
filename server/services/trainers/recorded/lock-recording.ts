import { sql } from "drizzle-orm";
import type { Ctx } from "@/server/platform/context";

/** Ensures that concurrent processes playing a project's recording create each part only once. */
export const lockRecording = ({ db, projectId }: Ctx) =>
  db.execute(sql`select pg_advisory_xact_lock(hashtextextended(${`recording ${projectId}`}, 0))`);
