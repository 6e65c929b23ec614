import type { JobError } from "@/db/schema/engine";
import { withoutValues } from "@/server/platform/logging/stored-reason";

const MESSAGE_MAX = 2000;
/** Matches our ids and those of OpenTelemetry. */
const IDS = /\b(?:[a-z]{2,4}_[0-9a-f]{32}|[0-9a-f]{32}|[0-9a-f]{16})\b/g;

/**
 * Redacts an error for members: without stack, values, and ids that do not occur in `known` (the job's id and event),
 * since work for one project can fail on rows of another.
 */
export function redactError(error: JobError | null, known: string) {
  if (!error) return null;
  const message = withoutValues(error.message).replace(IDS, (id) => (known.includes(id) ? id : "…"));
  return { name: error.name.slice(0, 100), message: Array.from(message).slice(0, MESSAGE_MAX).join("") };
}
