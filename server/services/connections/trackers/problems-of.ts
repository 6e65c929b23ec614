import { TrackerError } from "./tracker-error";

/** Returns the problems that a check finds. A permanently failing call counts as one. */
export async function problemsOf(check: () => Promise<string[]>): Promise<string[]> {
  try {
    return await check();
  } catch (error) {
    if (error instanceof TrackerError && !error.transient) return [error.message];
    throw error;
  }
}
