import { db } from "@/db/pool";
import type { Ctx } from "@/server/platform/context";
import { requestIdOf } from "@/server/platform/request-id";
import { requestLimits, workbenchLimiter } from "@/server/services/rate-limits";
import { ctxOfProject } from "./authenticate";
import { problemResponse } from "./problem";

type CsvFile = { fileName: string; body: string | ReadableStream<Uint8Array> };
type Segment = { params: Promise<{ projectId: string }> };

/**
 * A page's GET that answers a CSV file, for a signed-in reader of the project or a key. What `fileOf` throws is answered
 * as a problem; what comes to light in a stream that it has begun no longer can be.
 */
export const csvRoute =
  (fileOf: (ctx: Ctx, query: URLSearchParams) => Promise<CsvFile>) =>
  async (request: Request, { params }: Segment): Promise<Response> => {
    const requestId = requestIdOf(request.headers);
    const { pathname, searchParams } = new URL(request.url);
    try {
      const { projectId } = await params;
      const ctx = await ctxOfProject(db(), request, projectId, "read", requestId);
      await workbenchLimiter.spend(ctx.db, ctx.projectId, requestLimits(ctx.actor), 1);
      const { fileName, body } = await fileOf(ctx, searchParams);
      return new Response(body, {
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
  };
