import { and, eq, inArray } from "drizzle-orm";
import { modelExports } from "@/db/schema";
import { listPage } from "@/server/platform/cursor";
import { verb } from "@/server/platform/verb";
import { FINE_TUNING_READERS } from "@/server/services/trainers";
import { exportJson, readExport } from "./export-rows";
import { exportIdInput, exportReply, exportsReply, listExportsInput } from "./schemas";

export const listExports = verb(
  {
    name: "modelExports.list",
    summary: "List exports, newest first.",
    description:
      "`status` takes one or more values, `checkpointId` limits the list to one checkpoint. Each has its destination, its progress and, once it has succeeded, its commit and address.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: listExportsInput,
    reply: exportsReply,
  },
  async (ctx, { limit, cursor, ...filters }) => {
    const { status, checkpointId } = filters;
    const { rows, nextCursor } = await listPage(
      { name: "model-exports", table: modelExports, filters: { project: ctx.projectId, ...filters }, limit, cursor },
      (after) =>
        ctx.db
          .select()
          .from(modelExports)
          .where(
            and(
              eq(modelExports.projectId, ctx.projectId),
              status && inArray(modelExports.status, status),
              checkpointId === undefined ? undefined : eq(modelExports.checkpointId, checkpointId),
              after,
            ),
          ),
    );
    return { exports: rows.map(exportJson), nextCursor };
  },
);

export const getExport = verb(
  {
    name: "modelExports.get",
    summary: "Read one export.",
    description:
      "Includes its progress and, once it has succeeded, its commit, address and files. `staleSince`: its trainer has been unreachable since then; it may still be uploading.",
    effect: "read",
    capability: FINE_TUNING_READERS,
    input: exportIdInput,
    reply: exportReply,
  },
  async (ctx, { exportId }) => {
    return { export: exportJson(await readExport(ctx, exportId)) };
  },
);
