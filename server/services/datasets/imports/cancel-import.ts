import { NOW } from "@/db/now";
import { datasetImports } from "@/db/schema";
import { auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { readDatasetRow } from "../datasets/read-dataset";
import { importJson, isFinished, isImport, readImport } from "./read-imports";
import { importInput, importReply, requestedImportReply } from "./schemas";

export const cancelImport = verb(
  {
    name: "datasetImports.cancel",
    summary: "Cancel an import in progress.",
    description:
      "It stops within two thousand rows. With `all_or_nothing`, stored rows are removed and the version disappears; with `good_rows`, stored rows stay as one version. An import that has ended is a 409; cancelling twice changes nothing.",
    effect: "write",
    capability: "models:manage",
    input: importInput,
    reply: importReply,
    writeOnlyReply: { unless: ["workspace:read"], reply: requestedImportReply },
  },
  async (ctx, { datasetId, importId }) => {
    await readDatasetRow(ctx, datasetId);
    await readImport(ctx, datasetId, importId);
    const [row] = await ctx.db.select().from(datasetImports).where(isImport(ctx, importId)).for("no key update");
    if (!row || isFinished(row)) throw new ServiceError("conflict", "The import has ended.");
    if (row.status !== "cancelling") {
      const ended = row.status === "queued" || row.status === "validating";
      const changed = ended
        ? { status: "cancelled" as const, cancelledAt: NOW, finishedAt: NOW }
        : { status: "cancelling" as const, cancelledAt: NOW };
      await ctx.db.update(datasetImports).set(changed).where(isImport(ctx, importId));
      auditNote(ctx, { before: { status: row.status }, after: { status: changed.status } });
    }
    return { import: importJson(await readImport(ctx, datasetId, importId)) };
  },
);
