import type { Ctx } from "@/server/platform/context";
import { openFile } from "@/server/services/files";
import { readDrafts } from "../formats";
import type { RowItem } from "./check-row";
import type { ImportRow } from "./read-imports";

/** Rows of a file, some at a time. */
export type Rows = {
  /** Rows taken so far. */
  position: number;
  /** Bytes of the file read so far. */
  bytes: number;
  /** Returns the next rows, fewer than `most` only at the end. */
  take(most: number): Promise<RowItem[]>;
  close(): Promise<void>;
};

type Source = Pick<ImportRow, "fileId" | "format" | "mapping">;

/** Opens a file at its row number `position`, from 0. */
export async function openRows(ctx: Ctx, { fileId, format, mapping }: Source, position: number): Promise<Rows> {
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
  const rows: Rows = {
    position: 0,
    get bytes() {
      return bytes;
    },
    async take(most) {
      const taken: RowItem[] = [];
      while (taken.length < most) {
        const { value, done } = await items.next();
        if (done) break;
        if (value.kind !== "warning") taken.push(value);
      }
      rows.position += taken.length;
      return taken;
    },
    close: async () => void (await items.return(undefined)),
  };
  while (rows.position < position) {
    if ((await rows.take(Math.min(1_000, position - rows.position))).length === 0) break;
  }
  return rows;
}

/** Steps of a job follow each other at once, or never. */
const IDLE_MS = 60_000;

type Idle = { rows: Rows; timer: NodeJS.Timeout };
const idle = new Map<string, Idle>();

/** Returns the rows that `shelveRows` left in this process, if they are at `position`; else opens the file and skips to it. */
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

/** Leaves opened rows to the job's next step, so that a large file is not parsed from its beginning by each of them. */
export function shelveRows(key: string, rows: Rows) {
  const timer = setTimeout(() => {
    idle.delete(key);
    void rows.close();
  }, IDLE_MS);
  timer.unref();
  idle.set(key, { rows, timer });
}
