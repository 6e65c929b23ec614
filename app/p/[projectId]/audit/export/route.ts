import { requireCapability } from "@/server/platform/context";
import { csvRoute } from "@/server/rest/http/csv-route";
import { auditCsv, listAudit } from "@/server/services/audit";

const FILTERS = ["actorId", "action", "targetId", "createdAfter", "createdBefore"];

/** The filtered audit log, for who may read it; written as it is read, however long it is. */
export const GET = csvRoute(async (ctx, query) => {
  requireCapability(ctx, listAudit.spec.capability);
  const filters = Object.fromEntries([...query].filter(([name, value]) => FILTERS.includes(name) && value));
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
  return { fileName: "audit-log.csv", body };
});
