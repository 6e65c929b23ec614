import { datasetImports } from "@/db/schema";
import { auditActor, auditNote } from "@/server/platform/audit";
import { ServiceError } from "@/server/platform/errors";
import { newId } from "@/server/platform/ids";
import { importRequested } from "@/server/platform/jobs/events";
import { emit } from "@/server/platform/outbox";
import { verb } from "@/server/platform/verb";
import { readDatasetRow } from "../datasets/read-dataset";
import { readableFile } from "./preview-import";
import { importJson, readImport } from "./read-imports";
import { createImportInput, importReply, requestedImportReply } from "./schemas";

export const createImport = verb(
  {
    name: "datasetImports.create",
    summary: "Import a stored file into a Dataset as one version, in the background.",
    description:
      "The file was uploaded with `files.upload` or `files.beginUpload`. Reads JSONL, a JSON array, CSV and Parquet: OpenAI `messages`, prompt and completion, prompt with chosen and rejected, ShareGPT, exports of Langfuse and OpenPipe, and our own exports. `datasetImports.preview` reports the detected format. With `all_or_nothing` the whole file is checked before anything is stored. While an import is storing, other changes to the Dataset are refused (409); a second import waits for it. A file without a single readable row is a 422. The limits of a file are those of the preview.",
    effect: "write",
    capability: "models:manage",
    input: createImportInput,
    reply: importReply,
    writeOnlyReply: { unless: ["workspace:read"], reply: requestedImportReply },
  },
  {
    before: async (ctx, input) => {
      await readDatasetRow(ctx, input.datasetId);
      const { file, preview } = await readableFile(ctx, input);
      if (!preview.isComplete) {
        throw new ServiceError("unprocessable", "No column was recognized as a conversation or an answer.", {
          errors: [{ path: "/mapping", message: "Choose the column for `messages` or `expectedOutput`." }],
        });
      }
      return { fileName: file.name, bytesTotal: file.size, format: preview.kind };
    },
    run: async (ctx, { datasetId, fileId, mapping, onError, duplicates }, found) => {
      await readDatasetRow(ctx, datasetId);
      const id = newId("imp");
      const input = { datasetId, fileId, ...found, mapping: mapping ?? null, onError, duplicates };
      await ctx.db.insert(datasetImports).values({
        projectId: ctx.projectId,
        id,
        ...input,
        status: "queued",
        actorKind: ctx.actor.kind,
        actorId: auditActor(ctx.actor).id,
      });
      // The file's name and columns are not recorded: their sender may have written anything in them.
      auditNote(ctx, { target: { type: "import", id }, after: { datasetId, fileId, onError, duplicates } });
      await emit(ctx.db, importRequested.create({ projectId: ctx.projectId, importId: id }));
      return { import: importJson(await readImport(ctx, datasetId, id)) };
    },
  },
);
