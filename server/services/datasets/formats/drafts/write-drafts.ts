import { JSON_FORMATS } from "../json-formats";
import type { ExportFormat } from "../schemas";
import { writeCsv, writeParquet } from "../table-formats";
import type { ExampleRow } from "../types";

const CHUNK_CHARACTERS = 64 * 1024;

/**
 * Receives an Example that the format cannot represent, and why: the same words for the same reason, so that they can be
 * counted.
 */
export type OnSkipped = (row: ExampleRow, reason: string) => void;

async function* writeJson(
  rows: AsyncIterable<ExampleRow>,
  format: keyof typeof JSON_FORMATS,
  onSkipped: OnSkipped,
): AsyncGenerator<Uint8Array> {
  const write = JSON_FORMATS[format];
  let text = "";
  for await (const row of rows) {
    const written = write(row);
    if ("reason" in written) {
      onSkipped(row, written.reason);
      continue;
    }
    for (const line of written.lines) text += `${JSON.stringify(line)}\n`;
    if (text.length < CHUNK_CHARACTERS) continue;
    yield Buffer.from(text);
    text = "";
  }
  if (text !== "") yield Buffer.from(text);
}

/**
 * Writes Examples as a file in a format, streamed. `lossless`, `csv` and `parquet` preserve everything in a draft, and reading
 * them back gives the same draft; `FILE_OF` says what each other format leaves out. `openai_chat` gives the assistant's earlier
 * answers weight 0, because an Example trains on its last one; `trl_kto` labels the expected answer true and the rejected one
 * false; preference formats skip Examples without a rejected answer. Every skipped Example is reported to `onSkipped`.
 */
export function writeDrafts(
  rows: AsyncIterable<ExampleRow>,
  format: ExportFormat,
  onSkipped: OnSkipped = () => {},
): AsyncGenerator<Uint8Array> {
  switch (format) {
    case "csv":
      return writeCsv(rows);
    case "parquet":
      return writeParquet(rows);
    default:
      return writeJson(rows, format, onSkipped);
  }
}
