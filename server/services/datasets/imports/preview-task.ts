import { ServiceError } from "@/server/platform/errors";
import { withPlainNumbers } from "@/server/platform/json/exact-json";
import type { Source } from "@/server/platform/processes/bounded-program";
import { type FilePreview, type Mapping, previewFile, readDrafts, UnreadableFile } from "../formats";
import { checkRow, problemWords } from "./check-row";
import type { ImportPreview } from "./schemas";

/** Rows whose problems are counted. */
export const ROWS_CHECKED = 1_000;
const ROWS_SHOWN = 10;
const RAW_CHARACTERS = 2_000;
const PROBLEMS_SHOWN = 50;

export type Input = { format?: FilePreview["kind"] | undefined; mapping?: Mapping | undefined };
/** `checksRows`: also reads the first rows as the import would. */
export type PreviewTask = { input: Input; checksRows: boolean };
export type ReadPreview = { preview: Omit<FilePreview, "rows">; checked: Checked };

export const optionsOf = ({ format, mapping }: Input) => ({
  ...(format && { kind: format }),
  ...(mapping && { mapping }),
});

type Checked = Pick<ImportPreview, "rows" | "rowsChecked" | "complete" | "rowsUsable" | "problems" | "warnings">;

/** Checks the first rows as the import would. */
async function checkFirstRows(file: Source, input: Input): Promise<Checked> {
  const rows: Checked["rows"] = [];
  const warnings: Checked["warnings"] = [];
  const problems = new Map<string, { message: string; rows: number; firstLine: number }>();
  let rowsChecked = 0;
  let rowsUsable = 0;
  let complete = true;
  for await (const item of readDrafts(file, optionsOf(input))) {
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
        // Exact numbers do not pass from one process to another, and a preview stores nothing.
        payload: withPlainNumbers(row.draft?.payload),
        problems: messages.map((message) => ({ severity: "error" as const, message })),
      });
    }
  }
  const counted = [...problems.values()].sort((a, b) => b.rows - a.rows).slice(0, PROBLEMS_SHOWN);
  return { rows, rowsChecked, complete, rowsUsable, problems: counted, warnings };
}

const NOTHING: Checked = { rows: [], rowsChecked: 0, complete: false, rowsUsable: 0, problems: [], warnings: [] };

/** Reads what a preview shows; throws `unprocessable` if no row can be read. */
export async function previewTask({ input, checksRows }: PreviewTask, file?: Source): Promise<ReadPreview> {
  if (!file) throw new Error("A preview needs a file.");
  try {
    const { rows: _, ...preview } = await previewFile(file, optionsOf(input));
    return { preview, checked: checksRows && preview.isComplete ? await checkFirstRows(file, input) : NOTHING };
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error;
    throw new ServiceError("unprocessable", `${error.message}.`, {
      errors: [{ path: "/fileId", message: error.message }],
    });
  }
}
