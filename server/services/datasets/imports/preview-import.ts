import type { Ctx } from "@/server/platform/context";
import { unprocessable } from "@/server/platform/errors";
import { inBoundedProcess } from "@/server/platform/processes/bounded-processes";
import { verb } from "@/server/platform/verb";
import { type OpenFile, openFile } from "@/server/services/files";
import { readDatasetRow } from "../datasets/read-dataset";
import { FILE_LIMITS } from "../formats/schemas";
import { type Input, previewTask, type ReadPreview, ROWS_CHECKED } from "./preview-task";
import { importPreviewReply, previewImportInput } from "./schemas";

const inBounds = inBoundedProcess({
  entry: "preview-program",
  work: previewTask,
  // The first rows of any ordinary file take less than one.
  limitMs: 15_000,
  heapMib: 512,
  exceeded: (what) =>
    unprocessable("/fileId", `Reading the file ${what}. Import it in smaller parts or another format.`),
});

/** Returns a stored file and its apparent format; throws `unprocessable` if no row can be read. */
export async function readableFile(
  ctx: Ctx,
  { fileId, format, mapping }: Input & { fileId: string },
  { checksRows = false } = {},
): Promise<{ file: OpenFile } & ReadPreview> {
  const file = await openFile(ctx, fileId);
  return { file, ...(await inBounds(ctx.projectId, { input: { format, mapping }, checksRows }, file)) };
}

export const previewImport = verb(
  {
    name: "datasetImports.preview",
    summary: "Preview an import of a stored file: its format, columns and problems. Stores nothing.",
    description: `Guesses the format and what each column is, and checks the first ${ROWS_CHECKED} rows. A file without a single readable row is a 422, as is one that takes too long or too much memory to read. ${FILE_LIMITS}`,
    effect: "read",
    capability: "project:data:read",
    input: previewImportInput,
    reply: importPreviewReply,
  },
  async (ctx, { datasetId, ...input }) => {
    await readDatasetRow(ctx, datasetId);
    const { file, preview, checked } = await readableFile(ctx, input, { checksRows: true });
    return {
      preview: {
        fileName: file.name,
        bytes: file.size,
        format: preview.kind,
        shape: preview.format,
        columns: preview.columns,
        mapping: preview.mapping,
        usable: preview.isComplete,
        ...checked,
      },
    };
  },
);
