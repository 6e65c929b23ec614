import { verb } from "@/server/platform/verb";
import { type ExampleRow, writeDrafts } from "../formats";
import { DATASET_FORMATS, type ExportFormat, FILE_OF } from "../formats/schemas";
import { countSelected, readSelected, select } from "./read-selected";
import { exportPreviewInput, exportPreviewReply } from "./schemas";

/** Number of Examples tried in each format. */
const EXAMINED_MAX = 2_000;
/** Formats that can represent every Example. */
const HOLD_ALL: ReadonlySet<ExportFormat> = new Set(["lossless", "csv", "parquet"]);

async function* each(rows: readonly ExampleRow[]) {
  yield* rows;
}

/** Writes rows in a format, and returns how many it cannot represent, by reason. */
async function skippedOf(rows: readonly ExampleRow[], format: ExportFormat) {
  if (HOLD_ALL.has(format)) return [];
  const counts = new Map<string, number>();
  const written = writeDrafts(each(rows), format, (_, reason) => counts.set(reason, (counts.get(reason) ?? 0) + 1));
  for await (const _ of written);
  return [...counts].map(([reason, examples]) => ({ reason, examples }));
}

export const exportPreview = verb(
  {
    name: "datasetExports.preview",
    summary: "Preview what an export in each format would contain, leave out or skip.",
    description: `Counts the Examples that match, and tries the first ${EXAMINED_MAX} of them in each format.`,
    effect: "read",
    capability: "workspace:read",
    input: exportPreviewInput,
    reply: exportPreviewReply,
  },
  async (ctx, input) => {
    const selected = await select(ctx, input);
    const examples = await countSelected(ctx, selected);
    const rows: ExampleRow[] = [];
    for await (const row of readSelected(ctx, selected)) {
      if (rows.push(row) === EXAMINED_MAX) break;
    }
    const formats = await Promise.all(
      DATASET_FORMATS.map(async (format) => {
        const { extension, losses } = FILE_OF[format];
        const skipped = await skippedOf(rows, format);
        const exported = rows.length - skipped.reduce((sum, one) => sum + one.examples, 0);
        return { format, extension, losses: [...losses], exported, skipped };
      }),
    );
    const { version } = selected;
    return { preview: { version, examples, examined: rows.length, complete: rows.length === examples, formats } };
  },
);
