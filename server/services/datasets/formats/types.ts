import type { FileKind, Role, Split } from "./schemas";

/** A file that can be read at any place, whatever holds it: a disk, an object store, memory. */
export type RandomAccess = {
  /** Bytes. */
  readonly size: number;
  /** Returns the bytes from `start` up to, not including, `end`. */
  read(start: number, end: number): Promise<Uint8Array>;
};

export type ToolCall = { id: string; type: "function"; function: { name: string; arguments: string } };

/** A message as chat/v1 holds it. What is in it beyond this shape is the validation's to judge. */
export type ChatMessage = {
  role: string;
  content?: string | null;
  name?: string;
  tool_calls?: ToolCall[];
  tool_call_id?: string;
};

export type ChatOutput = { type: "chat_message"; message: ChatMessage; weight?: number };

/** The payload of an Example, well-formed but not validated. */
export type DraftPayload = {
  input: { type: "chat"; messages: ChatMessage[]; tools?: unknown[] };
  expectedOutput: ChatOutput;
  rejectedOutput?: Omit<ChatOutput, "weight">;
};

/** Where an Example comes from. Of a conversation of ours the ids, so that a copy is found when its user is deleted. */
export type Source = {
  kind: string;
  externalRef?: string;
  /** What collected it. */
  objective?: string;
  conversationId?: string;
  /** The end user's id in the application. */
  userId?: string;
  turn?: number;
  findingId?: string;
};

/** What a file says of one Example; what a writer is given of one. */
export type ExampleRow = {
  payload: DraftPayload;
  tags?: string[];
  split?: Split;
  source?: Source;
  /** The row's id in the system that wrote the file. */
  externalRef?: string;
  /** Our own `ex_…`, in a file that we wrote. */
  id?: string;
  /** The version of the Dataset that the content is of, where we read it. */
  version?: number;
};

export type Draft = ExampleRow & {
  /** The line the row starts on, from 1; of a Parquet file, the row. */
  line: number;
};

/** One row of a file, in the file's order; a warning is given once a file for each thing it says. */
export type ReadItem =
  | { kind: "draft"; line: number; draft: Draft; raw: string }
  | { kind: "error"; line: number; message: string; raw: string; rawTruncated?: true }
  | { kind: "warning"; line: number; message: string };

/** Column or key → role. A name that is missing is guessed as if no mapping had been given. */
export type Mapping = Readonly<Record<string, Role>>;

export type ReadOptions = {
  /** Guessed from the file's first bytes when absent. */
  kind?: FileKind;
  /** Guessed from the names of the columns or keys when absent. */
  mapping?: Mapping;
};

/** A file of which no row can be read; the message says what to do about it. */
export class UnreadableFile extends Error {
  override name = "UnreadableFile";
}
