import { setImmediate as letOthersRun } from "node:timers/promises";
import type { Ctx } from "@/server/platform/context";
import { openFile } from "@/server/services/files";
import { prepareExample } from "../examples/write-examples";
import { readDrafts } from "../formats";
import { type CheckedRow, checkRow, type RowItem } from "./check-row";
import type { ImportRow } from "./read-imports";

/** Maximum rows and characters per chunk: together they bound a transaction and its memory. */
const CHUNK_ROWS = 2_000;
const CHUNK_CHARACTERS = 8 * 1024 * 1024;
/** Reading ahead must not delay the statement that runs at the same time: this many rows take a few milliseconds. */
const ROWS_AT_A_STRETCH = 25;

/** Rows of a file, read in chunks. */
export type Rows = {
  /** Rows taken so far. */
  position: number;
  /** Bytes of the file read up to there. */
  bytes: number;
  /** Returns the next rows, none at the end, and reads ahead while the caller processes them. */
  take(): Promise<CheckedRow[]>;
  close(): Promise<void>;
};

type Source = Pick<ImportRow, "fileId" | "format" | "mapping" | "status">;
type Chunk = { rows: CheckedRow[]; bytes: number };

/** Opens a file at its row number `position`, from 0. */
export async function openRows(ctx: Ctx, { fileId, format, mapping, status }: Source, position: number): Promise<Rows> {
  const file = await openFile(ctx, fileId);
  let bytes = 0;
  const counted = {
    size: file.size,
    async read(start: number, end: number) {
      bytes = Math.max(bytes, end);
      return file.read(start, end);
    },
  };
  const items = readDrafts(counted, { kind: format as never, ...(mapping && { mapping: mapping as never }) });
  const nextItem = async (): Promise<RowItem | undefined> => {
    for (;;) {
      const { value, done } = await items.next();
      if (done) return undefined;
      if (value.kind !== "warning") return value;
    }
  };
  const nextChunk = async (): Promise<Chunk> => {
    const rows: CheckedRow[] = [];
    let characters = 0;
    while (rows.length < CHUNK_ROWS && characters < CHUNK_CHARACTERS) {
      const item = await nextItem();
      if (!item) break;
      const row = checkRow(item);
      if (status === "storing" && row.draft) prepareExample(row.draft.payload);
      rows.push(row);
      characters += row.raw.length;
      if (rows.length % ROWS_AT_A_STRETCH === 0) await letOthersRun();
    }
    return { rows, bytes };
  };

  let ahead: Promise<Chunk> | undefined;
  const rows: Rows = {
    position: 0,
    bytes: 0,
    async take() {
      const chunk = await (ahead ?? nextChunk());
      ahead = chunk.rows.length > 0 ? nextChunk() : undefined;
      // The caller that takes these rows gets the error; if the reader is closed first, nobody needs it.
      ahead?.catch(() => undefined);
      rows.position += chunk.rows.length;
      rows.bytes = chunk.bytes;
      return chunk.rows;
    },
    close: async () => void (await items.return(undefined)),
  };
  while (rows.position < position && (await nextItem())) rows.position++;
  rows.bytes = bytes;
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
    await found.rows.close();
  }
  return openRows(ctx, source, position);
}

/** Keeps opened rows for the job's next step, so that not every step parses a large file from the beginning. */
export function shelveRows(key: string, rows: Rows) {
  const timer = setTimeout(() => {
    idle.delete(key);
    void rows.close();
  }, IDLE_MS);
  timer.unref();
  idle.set(key, { rows, timer });
}
