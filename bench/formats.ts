/**
 * `npm run bench -- formats`: what reading and writing files of Examples costs. Exits with 1 when a bound is missed.
 *
 * - JSONL, CSV and Parquet of 100,000 Examples (200 MB of JSONL): rows/s, written and read; JSONL is read at ≥ 20,000/s
 * - memory from the first to the last third of reading grows by no more than 64 MiB: what is read is not retained
 */
import { createWriteStream, mkdtempSync, rmSync } from "node:fs";
import { open } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { type ExampleRow, previewFile, readDrafts, writeDrafts } from "@/server/services/datasets/formats";
import { type ExportFormat, FILE_OF } from "@/server/services/datasets/formats/schemas";
import { bound, machine } from "./lib/machine";
import { randomOf } from "./lib/random";
import { thirdsOf } from "./lib/thirds";

const ROWS = 100_000;
const CONTENT_CHARACTERS = 1_700;
const READ_PER_SECOND = 20_000;
const GROWTH_MIB = 64;
const MIB = 2 ** 20;
const FORMATS = ["lossless", "openai_chat", "csv", "parquet"] as const satisfies readonly ExportFormat[];

/** Examples of a few turns, no two alike, of about 2 kB of JSON each. */
async function* examples(): AsyncGenerator<ExampleRow> {
  const random = randomOf(20_260_101);
  const words = Array.from({ length: 500 }, () => Math.floor(random() * 36 ** 6).toString(36));
  const text = (characters: number) => {
    let written = "";
    while (written.length < characters) written += `${words[Math.floor(random() * words.length)]} `;
    return written;
  };
  for (let index = 0; index < ROWS; index++) {
    yield {
      id: `ex_${index}`,
      payload: {
        input: {
          type: "chat",
          messages: [
            { role: "system", content: "You help customers with their orders, briefly." },
            { role: "user", content: `${index}: ${text(CONTENT_CHARACTERS / 3)}` },
            { role: "assistant", content: text(CONTENT_CHARACTERS / 3) },
            { role: "user", content: text(CONTENT_CHARACTERS / 6) },
          ],
        },
        expectedOutput: { type: "chat_message", message: { role: "assistant", content: text(CONTENT_CHARACTERS / 6) } },
      },
      tags: ["orders", "bench"],
      split: "train",
      source: { kind: "import" },
    };
  }
}

const seconds = (since: number) => (performance.now() - since) / 1_000;
const perSecond = (rows: number, taken: number) => `${Math.round(rows / taken).toLocaleString("en")} rows/s`;

async function writeFile(format: ExportFormat, file: string): Promise<number> {
  const since = performance.now();
  await pipeline(Readable.from(writeDrafts(examples(), format)), createWriteStream(file));
  return seconds(since);
}

type Reading = { rows: number; taken: number; growth: number; peak: number };

async function readFile(file: string): Promise<Reading> {
  const handle = await open(file);
  const { size } = await handle.stat();
  const random = {
    size,
    async read(start: number, end: number) {
      const { buffer, bytesRead } = await handle.read(Buffer.allocUnsafe(end - start), 0, end - start, start);
      return buffer.subarray(0, bytesRead);
    },
  };
  const { format, rows: shown } = await previewFile(random);
  if (format === "columns" || shown.some(({ draft }) => !draft)) throw new Error(`${file} is not recognized`);
  const memory: { at: number; value: number }[] = [];
  const since = performance.now();
  let rows = 0;
  for await (const item of readDrafts(random)) {
    if (item.kind === "error") throw new Error(`line ${item.line}: ${item.message}`);
    if (item.kind === "warning") continue;
    rows++;
    if (rows % 1_000 === 0) memory.push({ at: rows, value: process.memoryUsage().rss / MIB });
  }
  const taken = seconds(since);
  await handle.close();
  const { first, last } = thirdsOf(memory, 0.1);
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  return { rows, taken, growth: mean(last) - mean(first), peak: Math.max(...memory.map(({ value }) => value)) };
}

console.log(`${machine()}\n`);
const folder = mkdtempSync(path.join(tmpdir(), "bench-formats-"));
try {
  for (const format of FORMATS) {
    const file = path.join(folder, `${format}.${FILE_OF[format].extension}`);
    const written = await writeFile(format, file);
    const { rows, taken, growth, peak } = await readFile(file);
    const size = (await open(file).then(async (handle) => [await handle.stat(), await handle.close()] as const))[0]
      .size;
    console.log(
      `${format}, ${Math.round(size / MIB)} MiB: written ${perSecond(rows, written)} (with making the rows), read ${perSecond(rows, taken)}, memory at most ${Math.round(peak)} MiB`,
    );
    if (FILE_OF[format].extension === "jsonl") {
      bound(
        `${format} is read at ${READ_PER_SECOND.toLocaleString("en")} rows/s`,
        rows / taken >= READ_PER_SECOND,
        perSecond(rows, taken),
      );
    }
    bound(
      `${format}: memory, first to last third`,
      growth <= GROWTH_MIB,
      `${growth >= 0 ? "+" : ""}${Math.round(growth)} MiB`,
    );
    bound(`${format}: every row is read`, rows === ROWS, String(rows));
  }
} finally {
  rmSync(folder, { recursive: true });
}
