import { sql } from "drizzle-orm";
import type { Db } from "@/db/client";
import { trainers, trainingJobs } from "@/db/schema";
import { readCapabilities } from "./capabilities";
import { attachedTrainers } from "./trainer-rows";

/** The bytes of a job's files and of what was built from them, as its trainer last reported them; null if it did not. */
export const JOB_DISK_BYTES = sql<string | null>`(
  select case when jsonb_typeof(found.bytes) = 'number' then greatest(trunc((found.bytes #>> '{}')::numeric), 0)::text end
  from ${trainers} cross join lateral (
    select ${trainers.capabilities} -> 'disk' -> 'jobs' -> ${trainingJobs.id} as bytes) found
  where ${trainers.id} = ${trainingJobs.trainerId})`;

/**
 * Returns a function from a hub model's id to the bytes of its files on all attached trainers: 0 if none has it, `null` if none
 * reports what it has.
 */
export async function baseModelBytes(db: Db): Promise<(id: string) => number | null> {
  const reports = (await attachedTrainers(db)).flatMap(({ capabilities }) => readCapabilities(capabilities).disk ?? []);
  const bytes = new Map<string, number>();
  for (const { id, bytes: size } of reports.flatMap(({ base_models }) => base_models)) {
    bytes.set(id, (bytes.get(id) ?? 0) + size);
  }
  return (id) => (reports.length === 0 ? null : (bytes.get(id) ?? 0));
}
