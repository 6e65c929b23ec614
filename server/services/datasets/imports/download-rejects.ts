import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { streamVerb } from "@/server/platform/stream-verb";
import { readDatasetRow } from "../datasets/read-dataset";
import { problemWords } from "./check-row";
import { FILE_ERASED } from "./forget-imports";
import { openRows } from "./open-rows";
import { type ImportRow, readImport } from "./read-imports";
import { importInput } from "./schemas";

/** Enough for the largest file. */
const SECONDS = 3600;
/** Downloads at a time: each has a process that reads the file. */
const AT_ONCE = 2;
let reading = 0;

async function* rejectsOf(ctx: Ctx, row: ImportRow, signal: AbortSignal): AsyncGenerator<string> {
  const rows = await openRows(ctx, row, 0);
  reading++;
  try {
    for (let taken = await rows.take(); taken.length > 0; taken = await rows.take()) {
      signal.throwIfAborted();
      const lines = taken.flatMap(({ line, problems, raw }) => {
        return problems ? [`${JSON.stringify({ line, problems: problems.map(problemWords), row: raw })}\n`] : [];
      });
      if (lines.length > 0) yield lines.join("");
    }
  } finally {
    reading--;
    rows.close();
  }
}

/** The rejects are read from the import's file, so that there is no second copy of its rows for a deletion to find. */
export const downloadRejects = streamVerb(
  {
    name: "datasetImports.downloadRejects",
    summary: "Download the unusable rows of an import as JSONL.",
    description:
      "One object per line: `line` (the row's line in the file), `problems` and `row`, as the file has it. Read from the imported file, and a 404 once that has expired (30 days after its upload, or the project's retention if that is shorter) or was deleted with the data of a user or a conversation. Two downloads run at a time; another is a 429.",
    capability: "project:data:read",
    effect: "read",
    input: importInput,
    produces: { "application/jsonl": { type: "string" } },
    limits: { seconds: SECONDS },
  },
  async (ctx, { datasetId, importId }, { signal }) => {
    await readDatasetRow(ctx, datasetId);
    const row = await readImport(ctx, datasetId, importId);
    if (row.rejected === 0) throw new ServiceError("not_found", "The import rejected no rows.");
    if (row.fileErasedAt !== null) throw new ServiceError("not_found", FILE_ERASED);
    if (reading >= AT_ONCE)
      throw new ServiceError("rate_limited", "Other downloads of rejected rows are in progress.", { retryAfter: 10 });
    const fileName = `${row.fileName.replace(/\.[^.]*$/, "")}-rejects.jsonl`;
    return { mediaType: "application/jsonl", fileName, body: rejectsOf(ctx, row, signal) };
  },
);
