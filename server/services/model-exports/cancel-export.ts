import { sql } from "drizzle-orm";
import { NOW } from "@/db/now";
import { modelExports } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { notFound } from "@/server/platform/errors";
import { modelExportDue } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS, requireTrainer } from "@/server/services/trainers";
import { exportJson, isExport, readExport } from "./export-rows";
import { exportIdInput, exportReply, requestedExportReply } from "./schemas";

export const cancelExport = verb(
  {
    name: "modelExports.cancel",
    summary: "Cancel an export.",
    description:
      "An export that has ended is unchanged (200). `cancelRequestedAt` is set until the trainer has confirmed it; what was committed before that stays on the hub, and the export has succeeded.",
    effect: "write",
    capability: "project:models:manage",
    input: exportIdInput,
    reply: exportReply,
    writeOnlyReply: { unless: FINE_TUNING_READERS, reply: requestedExportReply },
  },
  async (ctx, { exportId }) => {
    await requireTrainer(ctx);
    const [row] = await ctx.db.select().from(modelExports).where(isExport(ctx, exportId)).for("update");
    if (!row) throw notFound("The export");
    auditNote(ctx, { target: { type: "export", id: exportId }, before: { status: row.status } });
    if (row.finishedAt === null) {
      // Before it was dispatched, no trainer knows about it.
      const ended = { status: "cancelled", finishedAt: NOW, dueAt: null } as const;
      const input = { cancelRequestedAt: sql<number>`coalesce(${modelExports.cancelRequestedAt}, ${NOW})`, dueAt: NOW };
      await ctx.db
        .update(modelExports)
        .set({ ...(row.startedAt === null ? ended : input), updatedAt: NOW })
        .where(isExport(ctx, exportId));
      if (row.startedAt !== null) await emit(ctx.db, modelExportDue.create({ projectId: ctx.projectId, exportId }));
    }
    const now = await readExport(ctx, exportId);
    auditNote(ctx, { after: { status: now.status, cancelRequestedAt: now.cancelRequestedAt } });
    return { export: exportJson(now) };
  },
);
