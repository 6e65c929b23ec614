import { asc, eq } from "drizzle-orm";
import type { Db } from "@/db/client";
import { deliveries } from "@/db/schema";

/** Returns the queued deliveries of all projects, in the order in which receivers expect them. */
export const unsentDeliveries = (db: Db) =>
  db
    .select({ id: deliveries.id, projectId: deliveries.projectId })
    .from(deliveries)
    .where(eq(deliveries.state, "queued"))
    .orderBy(asc(deliveries.sequence), asc(deliveries.id));
