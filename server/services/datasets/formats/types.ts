import type { FileKind, Role, Split } from "./schemas";

/** A file with random access, wherever it is stored: on disk, in an object store, in memory. */
export type RandomAccess = {
  /** Bytes. */
  readonly size: number;
  /** Returns the bytes from `start` up to, not including, `end`. */
  read(start: number, end: number): Promise<Uint8Array>;
};

export type ToolCall = { id: string; type: "function"; function: { name: string; arguments: string } };

/** A message in chat/v1. Anything beyond this shape is checked by the validation. */
export type ChatMessage = {
  role: string;
  content?: string | null;
  name?: string;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
  /** Of an answer before the last one: how much it counts in training. Default: as the job's settings say. */
  weight?: number;
};

export type ChatOutput = { type: "chat_message"; message: ChatMessage; weight?: number };

/** The payload of an Example, well-formed but not validated. */
export type DraftPayload = {
  input: { type: "chat"; messages: ChatMessage[]; tools?: unknown[] };
  expectedOutput: ChatOutput;
  rejectedOutput?: Omit<ChatOutput, "weight">;
};

/** Where an Example comes from. Includes the ids of our own conversation, so that copies are found when its user is deleted. */
export type Source = {
  kind: string;
  externalRef?: string;
  /** The objective that collected it. */
  objective?: string;
  conversationId?: string;
  /** The end user's id in the application. */
  userId?: string;
  turn?: number;
  findingId?: string;
};

/** One Example as a file describes it, and as a writer receives it. */
export type ExampleRow = {
  payload: DraftPayload;
  tags?: string[];
  split?: Split;
  source?: Source;
  /** The row's id in the system that wrote the file. */
  externalRef?: string;
  /** Our own `ex_…`, in a file that we wrote. */
  id?: string;
  /** The version of the Dataset that the content belongs to, if read from ours. */
  version?: number;
};

export type Draft = ExampleRow & {
  /** The line on which the row begins, from 1; in a Parquet file, the row number. */
  line: number;
};

/** One row of a file, in the file's order. Each distinct warning is given once per file. */
export type ReadItem =
  | { kind: "draft"; line: number; draft: Draft; raw: string }
  | { kind: "error"; line: number; message: string; raw: string; rawTruncated?: true }
  | { kind: "warning"; line: number; message: string };

/** Column or key → role. Unlisted names are guessed as if no mapping had been given. */
export type Mapping = Readonly<Record<string, Role>>;

export type ReadOptions = {
  /** Default: detected from the file's first bytes. */
  kind?: FileKind;
  /** Default: guessed from the names of the columns or keys. */
  mapping?: Mapping;
};

/** A file from which no row can be read; the message says what to do about it. */
export class UnreadableFile extends Error {
  override name = "UnreadableFile";
}
