import type { JobEvent } from "@/db/schema/engine";

type Carried = { of: string; ids: string[] };

const OF_ONE = /Id$/;
const OF_MANY = /Ids$/;
/** Left out: the project is known in a project's own list. */
const OMITTED = "projectId";

const isText = (value: unknown): value is string => typeof value === "string";

/** Returns all ids that a job's event carries, by kind: `runIds: […]` are ids of "run". */
export function eventIds(event: Pick<JobEvent, "data">): Carried[] {
  const payload = event.data as { event?: { data?: Record<string, unknown> }; run_id?: unknown };
  // Events of a failure or a cancellation contain the other job's id and its own event.
  const carriedIds: Carried[] = isText(payload.run_id) ? [{ of: "backgroundJob", ids: [payload.run_id] }] : [];
  const data = payload.event?.data ?? event.data;
  for (const [name, value] of Object.entries(data)) {
    if (name === OMITTED) continue;
    if (OF_ONE.test(name) && isText(value)) carriedIds.push({ of: name.replace(OF_ONE, ""), ids: [value] });
    if (OF_MANY.test(name) && Array.isArray(value))
      carriedIds.push({ of: name.replace(OF_MANY, ""), ids: value.filter(isText) });
  }
  return carriedIds;
}
