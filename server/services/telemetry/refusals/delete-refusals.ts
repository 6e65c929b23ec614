import { lt, sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { NOW } from "@/db/now";
import { telemetryRefusals } from "@/db/schema";
import { MINUTE_MS } from "@/server/platform/durations";
import { REFUSALS_STORED_MINUTES } from "./schemas";

/** Deletes the refusals of all projects, and those of none, that are no longer shown. */
export async function deleteOldRefusals(db: Db): Promise<void> {
  const before = sql`${NOW} - ${REFUSALS_STORED_MINUTES * MINUTE_MS}::bigint`;
  await db.delete(telemetryRefusals).where(lt(telemetryRefusals.minute, before));
}
