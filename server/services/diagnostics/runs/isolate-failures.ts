import { faultOf } from "@/server/platform/database/database-fault";
import { errorCodes } from "@/server/platform/logging/known-error";

/** An unavailable or busy database fails whatever is tried next, too. */
const isEverybodys = (error: unknown) => faultOf(errorCodes(error)) !== undefined;

/**
 * Works on all items at once, or on each alone where that fails, so that one does not fail the others. Returns the results
 * and the items that fail alone. A fault of the database is thrown.
 */
export async function isolateFailures<Item, Result>(
  items: readonly Item[],
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
): Promise<{ results: Result[]; failures: { item: Item; error: unknown }[] }> {
  try {
    return { results: [...(await work(items))], failures: [] };
  } catch (error) {
    if (isEverybodys(error)) throw error;
    if (items.length === 1) return { results: [], failures: [{ item: items[0]!, error }] };
  }
  const results: Result[] = [];
  const failures: { item: Item; error: unknown }[] = [];
  for (const item of items) {
    const alone = await isolateFailures([item], work);
    results.push(...alone.results);
    failures.push(...alone.failures);
  }
  return { results, failures };
}
