import { setImmediate as letOthersRun } from "node:timers/promises";
import { ServiceError } from "@/server/platform/errors";
import { parseExactJson } from "@/server/platform/json/exact-json";
import type { Source } from "@/server/platform/processes/bounded-program";
import type { ChatPayload } from "../chat-payload/schemas";
import { type PreparedExample, preparedExample, rememberPrepared } from "../examples/prepared-example";
import type { Draft } from "../examples/types";
import { readDrafts, UnreadableFile } from "../formats";
import { type CheckedRow, checkRow } from "./check-row";
import { type Input, optionsOf } from "./preview-task";

/** Maximum rows and characters per part: whoever receives it is busy for a few milliseconds. */
const PART_ROWS = 50;
const PART_CHARACTERS = 256 * 1024;
/** Rows that are skipped before an empty part says so. */
const SKIPPED_ROWS = 2_000;

/** `from`: the number of the first row, from 0. `prepares`: also computes what storing the rows needs. */
export type RowsTask = { input: Input; from: number; prepares: boolean };

/** A row as it passes between processes: its payload as JSON, because exact numbers do not. */
type SentRow = { line: number; exampleId?: string } & (
  | { draft: Omit<Draft, "payload">; payload: string; prepared: PreparedExample | null }
  | { problems: NonNullable<CheckedRow["problems"]>; raw: string }
);
/** `rows` is empty where rows before the first are skipped. `position` and `bytes` are those up to their end. */
export type SentRows = { rows: SentRow[]; characters: number; position: number; bytes: number };

function sentRow(row: CheckedRow, prepares: boolean): SentRow {
  const { line, exampleId, draft, problems, raw } = row;
  const named = { line, ...(exampleId !== undefined && { exampleId }) };
  if (!draft) return { ...named, problems: problems ?? [], raw };
  const { payload, ...rest } = draft;
  const prepared = prepares ? preparedExample(payload) : null;
  return { ...named, draft: rest, payload: JSON.stringify(payload), prepared };
}

/** Returns a row as it was before it was sent; `raw` only if it is unusable. */
export function receivedRow(sent: SentRow): CheckedRow {
  if ("problems" in sent) return sent;
  const { line, exampleId, draft, payload, prepared } = sent;
  const parsed = parseExactJson(payload) as ChatPayload;
  if (prepared) rememberPrepared(parsed, prepared);
  return { line, ...(exampleId !== undefined && { exampleId }), draft: { ...draft, payload: parsed } };
}

/** Reads the rows of a file in parts; throws `unprocessable` if nothing, or nothing more, can be read. */
export async function* rowsTask({ input, from, prepares }: RowsTask, file?: Source): AsyncGenerator<SentRows, void> {
  if (!file) throw new Error("An import needs a file.");
  let bytes = 0;
  const counted: Source = {
    size: file.size,
    read(start, end) {
      bytes = Math.max(bytes, end);
      return file.read(start, end);
    },
  };
  let position = 0;
  let rows: SentRow[] = [];
  let characters = 0;
  try {
    for await (const item of readDrafts(counted, optionsOf(input))) {
      if (item.kind === "warning") continue;
      position++;
      if (position > from) {
        rows.push(sentRow(checkRow(item), prepares));
        characters += item.raw.length;
      }
      const isFull = rows.length === PART_ROWS || characters >= PART_CHARACTERS;
      if (isFull || (position <= from && position % SKIPPED_ROWS === 0)) {
        yield { rows, characters, position, bytes };
        [rows, characters] = [[], 0];
        // Read in the caller's process, as in tests, its statements should not wait.
        await letOthersRun();
      }
    }
  } catch (error) {
    throw error instanceof UnreadableFile ? new ServiceError("unprocessable", error.message) : error;
  }
  if (rows.length > 0) yield { rows, characters, position, bytes };
}
