import { faultOf } from "@/server/platform/database/database-fault";
import { errorCodes } from "@/server/platform/logging/known-error";

/** An unavailable or busy database would also fail whatever is tried next. */
const isEverybodys = (error: unknown) => faultOf(errorCodes(error)) !== undefined;

/**
 * Works on all items together or, if that fails, on each alone, so that one does not fail the others. Returns the results
 * and the items that fail alone. Rethrows a fault of the database.
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
