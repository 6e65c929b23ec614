import type { Ctx } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import { streamFromBoundedProcess } from "@/server/platform/processes/bounded-processes";
import { openFile } from "@/server/services/files";
import type { CheckedRow } from "./check-row";
import type { Input } from "./preview-task";
import type { ImportRow } from "./read-imports";
import { receivedRow, rowsTask } from "./rows-task";

/** Maximum rows and characters per chunk: together they bound a transaction and its memory. */
const CHUNK_ROWS = 2_000;
const CHUNK_CHARACTERS = 8 * 1024 * 1024;

const readInProcess = streamFromBoundedProcess({
  entry: "rows-program",
  work: rowsTask,
  // Fifty rows of an ordinary file take some milliseconds.
  limitMs: 60_000,
  heapMib: 512,
  exceeded: (what) =>
    new ServiceError(
      "unprocessable",
      `Reading the file ${what} for one part of it. Import it in smaller parts or another format.`,
    ),
});

/** Rows of a file, read in chunks. */
export type Rows = {
  /** Rows taken so far. */
  position: number;
  /** Bytes of the file read up to there. */
  bytes: number;
  /** Returns the next rows, none at the end, and reads ahead while the caller processes them. */
  take(): Promise<CheckedRow[]>;
  close(): void;
};

type Chunk = { rows: CheckedRow[]; position: number; bytes: number };
type Source = Pick<ImportRow, "fileId" | "format" | "mapping" | "status">;

/** Opens a file at its row number `position`, from 0. Parsing and checking happen in a process of their own. */
export async function openRows(ctx: Ctx, { fileId, format, mapping, status }: Source, position: number): Promise<Rows> {
  const file = await openFile(ctx, fileId);
  const input = { format, mapping: mapping ?? undefined } as Input;
  const parts = readInProcess({ input, from: position, prepares: status === "storing" }, file);
  const nextChunk = async (): Promise<Chunk> => {
    const chunk: Chunk = { rows: [], position: rows.position, bytes: rows.bytes };
    let characters = 0;
    while (chunk.rows.length < CHUNK_ROWS && characters < CHUNK_CHARACTERS) {
      const part = await parts.next();
      if (!part) break;
      for (const row of part.rows) chunk.rows.push(receivedRow(row));
      characters += part.characters;
      Object.assign(chunk, { position: part.position, bytes: part.bytes });
    }
    return chunk;
  };
  let ahead: Promise<Chunk> | undefined;
  const rows: Rows = {
    position,
    bytes: 0,
    async take() {
      const chunk = await (ahead ?? nextChunk());
      rows.position = chunk.position;
      rows.bytes = chunk.bytes;
      ahead = chunk.rows.length > 0 ? nextChunk() : undefined;
      // The caller that takes these rows gets the error; if the reader is closed first, nobody needs it.
      ahead?.catch(() => undefined);
      return chunk.rows;
    },
    close: () => parts.close(),
  };
  return rows;
}

/** A job's next step follows immediately, or never. */
const IDLE_MS = 60_000;

type Idle = { rows: Rows; timer: NodeJS.Timeout };
const idle = new Map<string, Idle>();

/**
 * Returns the rows that `shelveRows` left in this process, if they are at `position`; otherwise opens the file and skips to it.
 */
export async function resumeRows(ctx: Ctx, key: string, source: Source, position: number): Promise<Rows> {
  const found = idle.get(key);
  if (found) {
    idle.delete(key);
    clearTimeout(found.timer);
    if (found.rows.position === position) return found.rows;
    found.rows.close();
  }
  return openRows(ctx, source, position);
}

/** Keeps opened rows for the job's next step, so that not every step parses a large file from the beginning. */
export function shelveRows(key: string, rows: Rows) {
  const timer = setTimeout(() => {
    idle.delete(key);
    rows.close();
  }, IDLE_MS);
  timer.unref();
  idle.set(key, { rows, timer });
}
