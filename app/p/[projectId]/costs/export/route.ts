import { db } from "@/db/pool";
import { requestIdOf } from "@/server/platform/request-id";
import { ctxOfProject } from "@/server/rest/authenticate";
import { problemResponse } from "@/server/rest/problem";
import { exportCosts } from "@/server/services/costs";
import type { CostsFile } from "@/server/services/costs/schemas";
import { requestLimits, workbenchLimiter } from "@/server/services/rate-limits";

/** Costs of the days in `from` and `to` (Unix ms) as a file, by model or by label (`groupBy`), for a signed-in reader or a key. */
export async function GET(request: Request, { params }: { params: Promise<{ projectId: string }> }) {
  const requestId = requestIdOf(request.headers);
  const { pathname, searchParams } = new URL(request.url);
  try {
    const { projectId } = await params;
    const ctx = await ctxOfProject(db(), request, projectId, "read", requestId);
    await workbenchLimiter.spend(ctx.db, ctx.projectId, requestLimits(ctx.actor), 1);
    const { csv } = await exportCosts(ctx, {
      from: searchParams.get("from") ?? undefined,
      to: searchParams.get("to") ?? undefined,
      // Whatever it says: the verb answers what it may be.
      groupBy: (searchParams.get("groupBy") ?? undefined) as CostsFile | undefined,
    });
    const fileName = csv.complete ? csv.fileName : csv.fileName.replace(/\.csv$/, `-first-${csv.rows}-rows.csv`);
    return new Response(csv.text, {
      headers: {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": `attachment; filename="${fileName}"`,
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "x-request-id": requestId,
      },
    });
  } catch (error) {
    return problemResponse(error, { requestId, instance: pathname });
  }
}
