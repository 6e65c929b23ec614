import type { JobError } from "@/db/schema/engine";
import { hideCredentials } from "@/server/platform/log";

const MESSAGE_MAX = 2000;
/** Drizzle's message of a failed query goes on with the values in it. */
const VALUES_OF_A_QUERY = /\nparams:[\s\S]*$/;
/** Ids of ours and of OpenTelemetry. */
const IDS = /\b(?:[a-z]{2,4}_[0-9a-f]{32}|[0-9a-f]{32}|[0-9a-f]{16})\b/g;

/**
 * An error as a member may read it. Work of one project can stumble over rows of another: ids that are not in what the
 * job was told (`known`) are left out, and so are values and stacks.
 */
export function redactError(error: JobError | null, known: string) {
  if (!error) return null;
  const message = hideCredentials(error.message.replace(VALUES_OF_A_QUERY, "")).replace(IDS, (id) =>
    known.includes(id) ? id : "…",
  );
  return { name: error.name.slice(0, 100), message: Array.from(message).slice(0, MESSAGE_MAX).join("") };
}
