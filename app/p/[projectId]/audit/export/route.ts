import { db } from "@/db/pool";
import { requireCapability } from "@/server/platform/context";
import { requestIdOf } from "@/server/platform/request-id";
import { ctxOfProject } from "@/server/rest/authenticate";
import { problemResponse } from "@/server/rest/problem";
import { auditCsv, listAudit } from "@/server/services/audit";
import { requestLimits, workbenchLimiter } from "@/server/services/rate-limits";

const FILTERS = ["actorId", "action", "targetId", "createdAfter", "createdBefore"];

/** The filtered audit log as a file, for a signed-in owner or a key; written as it is read, however long it is. */
export async function GET(request: Request, { params }: { params: Promise<{ projectId: string }> }) {
  const requestId = requestIdOf(request.headers);
  const { pathname, searchParams } = new URL(request.url);
  try {
    const { projectId } = await params;
    const ctx = await ctxOfProject(db(), request, projectId, "read", requestId);
    await workbenchLimiter.spend(ctx.db, ctx.projectId, requestLimits(ctx.actor), 1);
    requireCapability(ctx, listAudit.spec.capability);
    const filters = Object.fromEntries([...searchParams].filter(([name, value]) => FILTERS.includes(name) && value));
    const rows = auditCsv(ctx, filters);
    // Read before the answer begins: whatever is refused still gets its status.
    const first = await rows.next();
    const encoder = new TextEncoder();
    let next: IteratorResult<string> | undefined = first;
    const body = new ReadableStream<Uint8Array>({
      async pull(controller) {
        const part = next ?? (await rows.next());
        next = undefined;
        if (part.done) controller.close();
        else controller.enqueue(encoder.encode(part.value));
      },
    });
    return new Response(body, {
      headers: {
        "content-type": "text/csv; charset=utf-8",
        "content-disposition": 'attachment; filename="audit-log.csv"',
        "cache-control": "no-store",
        "x-content-type-options": "nosniff",
        "x-request-id": requestId,
      },
    });
  } catch (error) {
    return problemResponse(error, { requestId, instance: pathname });
  }
}
