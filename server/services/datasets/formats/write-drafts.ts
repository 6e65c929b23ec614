import { JSON_FORMATS } from "./json-formats";
import type { ExportFormat } from "./schemas";
import { writeCsv, writeParquet } from "./table-formats";
import type { ExampleRow } from "./types";

const CHUNK_CHARACTERS = 64 * 1024;

/** Takes an Example that the format cannot hold, and why: the same words for all of one reason, so that they can be counted. */
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
 * Writes Examples as a file of a format, streamed. `lossless`, `csv` and `parquet` hold all that a draft holds and read back
 * as the same; what each other format leaves out is in `FILE_OF`. Of these, `openai_chat` gives earlier answers of the
 * assistant weight 0, because an Example trains on its last; `trl_kto` labels the expected answer true and the rejected one
 * false; preference formats skip Examples without a rejected answer. Every Example that is skipped is told to `onSkipped`.
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
