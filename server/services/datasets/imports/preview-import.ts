import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { verb } from "@/server/platform/verb";
import { type OpenFile, openFile } from "@/server/services/files";
import { readDatasetRow } from "../datasets/read-dataset";
import { type FilePreview, type Mapping, previewFile, readDrafts, UnreadableFile } from "../formats";
import { checkRow, problemWords } from "./check-row";
import { type ImportPreview, importPreviewReply, previewImportInput } from "./schemas";

/** Rows whose problems are counted. */
const ROWS_CHECKED = 1_000;
const ROWS_SHOWN = 10;
const RAW_CHARACTERS = 2_000;
const PROBLEMS_SHOWN = 50;

type Asked = { fileId: string; format?: FilePreview["kind"] | undefined; mapping?: Mapping | undefined };

const optionsOf = ({ format, mapping }: Asked) => ({ ...(format && { kind: format }), ...(mapping && { mapping }) });

/** Returns a stored file and its apparent format; throws `unprocessable` if no row can be read. */
export async function readableFile(ctx: Ctx, asked: Asked): Promise<{ file: OpenFile; preview: FilePreview }> {
  const file = await openFile(ctx, asked.fileId);
  try {
    return { file, preview: await previewFile(file, optionsOf(asked)) };
  } catch (error) {
    throw asUnprocessable(error);
  }
}

const asUnprocessable = (error: unknown) =>
  error instanceof UnreadableFile
    ? new ServiceError("unprocessable", `${error.message}.`, { errors: [{ path: "/fileId", message: error.message }] })
    : error;

type Checked = Pick<ImportPreview, "rows" | "rowsChecked" | "complete" | "rowsUsable" | "problems" | "warnings">;

/** Checks the first rows as the import would. */
async function checkFirstRows(file: OpenFile, asked: Asked): Promise<Checked> {
  const rows: Checked["rows"] = [];
  const warnings: Checked["warnings"] = [];
  const problems = new Map<string, { message: string; rows: number; firstLine: number }>();
  let rowsChecked = 0;
  let rowsUsable = 0;
  let complete = true;
  for await (const item of readDrafts(file, optionsOf(asked))) {
    if (item.kind === "warning") {
      if (warnings.length < PROBLEMS_SHOWN) warnings.push({ message: item.message, line: item.line });
      continue;
    }
    if (rowsChecked === ROWS_CHECKED) {
      complete = false;
      break;
    }
    rowsChecked++;
    const row = checkRow(item);
    if (row.draft) rowsUsable++;
    const messages = row.problems?.map(problemWords) ?? [];
    for (const message of messages) {
      const known = problems.get(message);
      if (known) known.rows++;
      else problems.set(message, { message, rows: 1, firstLine: row.line });
    }
    if (rows.length < ROWS_SHOWN) {
      rows.push({
        line: row.line,
        raw: row.raw.slice(0, RAW_CHARACTERS).toWellFormed(),
        payload: row.draft?.payload,
        problems: messages.map((message) => ({ severity: "error" as const, message })),
      });
    }
  }
  const counted = [...problems.values()].sort((a, b) => b.rows - a.rows).slice(0, PROBLEMS_SHOWN);
  return { rows, rowsChecked, complete, rowsUsable, problems: counted, warnings };
}

const NOTHING: Checked = { rows: [], rowsChecked: 0, complete: false, rowsUsable: 0, problems: [], warnings: [] };

export const previewImport = verb(
  {
    name: "datasets.previewImport",
    summary: "Preview an import of a stored file: its format, columns and problems. Stores nothing.",
    description: `Guesses the format and what each column is, and checks the first ${ROWS_CHECKED} rows. A file without a single readable row is a 422.`,
    effect: "read",
    capability: "project:data:read",
    input: previewImportInput,
    reply: importPreviewReply,
  },
  async (ctx, { datasetId, ...asked }) => {
    await readDatasetRow(ctx, datasetId);
    const { file, preview } = await readableFile(ctx, asked);
    try {
      return {
        preview: {
          fileName: file.name,
          bytes: file.size,
          format: preview.kind,
          shape: preview.format,
          columns: preview.columns,
          mapping: preview.mapping,
          usable: preview.isComplete,
          ...(preview.isComplete ? await checkFirstRows(file, asked) : NOTHING),
        },
      };
    } catch (error) {
      throw asUnprocessable(error);
    }
  },
);
