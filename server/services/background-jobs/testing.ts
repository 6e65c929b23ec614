import { jobRuns } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { newId } from "@/server/platform/ids";

type Row = typeof jobRuns.$inferInsert;

/** For tests: stores a background job of this project (`null`: of the installation) as the engine would leave it. */
export async function storedJob(
  { db, projectId }: Pick<Ctx, "db"> & { projectId: string | null },
  { data, ...columns }: Partial<Row> & { data?: Record<string, unknown> } = {},
): Promise<string> {
  const id = newId("jr");
  const event = { id: newId("evt"), name: "test/go", data: { projectId, ...data }, ts: 0 };
  const finished = ["completed", "failed", "cancelled"].includes(columns.state ?? "queued");
  await db.insert(jobRuns).values({
    id,
    projectId,
    functionId: "whetstone-measure-storage",
    eventId: event.id,
    event,
    state: "queued",
    maxAttempts: 3,
    lane: "",
    startedAt: finished ? Date.now() - 1000 : null,
    finishedAt: finished ? Date.now() : null,
    ...columns,
  });
  return id;
}
