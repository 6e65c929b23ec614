import { csvRoute } from "@/server/rest/http/csv-route";
import { exportCosts } from "@/server/services/costs";
import type { CostsFile } from "@/server/services/costs/schemas";

/** Costs of the days in `from` and `to` (Unix ms), by model or by label (`groupBy`). */
export const GET = csvRoute(async (ctx, query) => {
  const { csv } = await exportCosts(ctx, {
    from: query.get("from") ?? undefined,
    to: query.get("to") ?? undefined,
    // Whatever it says: the verb answers what it may be.
    groupBy: (query.get("groupBy") ?? undefined) as CostsFile | undefined,
  });
  const fileName = csv.complete ? csv.fileName : csv.fileName.replace(/\.csv$/, `-first-${csv.rows}-rows.csv`);
  return { fileName, body: csv.text };
});
