import type { JobEvent } from "@/db/schema/engine";

type Carried = { of: string; ids: string[] };

const OF_ONE = /Id$/;
const OF_MANY = /Ids$/;
/** Which project is no news in a project's own list. */
const NOT_TOLD = "projectId";

const isText = (value: unknown): value is string => typeof value === "string";

/** The ids that a job's event carries, whole, by their names: `runIds: […]` is ids of "run". */
export function eventIds(event: JobEvent): Carried[] {
  const told = event.data as { event?: { data?: Record<string, unknown> }; run_id?: unknown };
  // After a failure or a cancellation the event speaks of another job, and of what that was told.
  const about: Carried[] = isText(told.run_id) ? [{ of: "backgroundJob", ids: [told.run_id] }] : [];
  const data = told.event?.data ?? event.data;
  for (const [name, value] of Object.entries(data)) {
    if (name === NOT_TOLD) continue;
    if (OF_ONE.test(name) && isText(value)) about.push({ of: name.replace(OF_ONE, ""), ids: [value] });
    if (OF_MANY.test(name) && Array.isArray(value))
      about.push({ of: name.replace(OF_MANY, ""), ids: value.filter(isText) });
  }
  return about;
}
