import { and, eq } from "drizzle-orm";
import { modelExports } from "@/db/schema";
import type { Ctx } from "@/server/platform/context";
import { notFound } from "@/server/platform/errors";
import { trainerProblem } from "@/server/services/trainers/schemas";
import type { ModelExport } from "./schemas";

export type ExportRow = typeof modelExports.$inferSelect;

/** Condition: an export of the project. */
export const isExport = ({ projectId }: Pick<Ctx, "projectId">, id: string) =>
  and(eq(modelExports.projectId, projectId), eq(modelExports.id, id));

/** Converts an export to its public form. */
export function exportJson(row: ExportRow): ModelExport {
  const { connectionId, endpoint, repoId, isPrivate, revision, isForced, files, error, progress, ...rest } = row;
  const { bytesDone, bytesTotal } = (progress ?? {}) as { bytesDone?: number; bytesTotal?: number | null };
  return {
    ...rest,
    destination: { connectionId, endpoint, repoId, private: isPrivate, revision },
    progress: bytesDone === undefined ? null : { bytesDone, bytesTotal: bytesTotal ?? null },
    files: files ?? [],
    error: error && trainerProblem.parse(error),
    forced: isForced,
  };
}

export async function readExport(ctx: Ctx, id: string): Promise<ExportRow> {
  const [row] = await ctx.db.select().from(modelExports).where(isExport(ctx, id));
  if (!row) throw notFound("The export");
  return row;
}
