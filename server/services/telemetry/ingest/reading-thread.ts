import { type PackedTexts, packTexts } from "../content/packed-texts";
import { MalformedBody } from "../otlp";
import {
  type Preparation,
  type PreparedLogs,
  type PreparedTraces,
  type Request,
  readLogs,
  readTraces,
} from "./prepare-batch";

/** What each signal becomes. */
export type Signals = { traces: PreparedTraces; logs: PreparedLogs };
export type ReadTask<Signal extends keyof Signals> = { signal: Signal; request: Request; preparation: Preparation };

type Chunks = PreparedTraces["content"]["chunks"];
/** A prepared batch as plain data. */
type Packed<Batch> = Omit<Batch, "content"> & { content: { parts: PackedTexts; chunks: Chunks } };
/** `malformed`: why the body cannot be read. An error of another class than `Error` would not arrive as such. */
export type ReadOutcome<Signal extends keyof Signals> = { read: Packed<Signals[Signal]> } | { malformed: string };

export const READERS = { traces: readTraces, logs: readLogs };

/** Reads and prepares one request. The program of the threads that `read-request.ts` starts; it uses no database. */
export default function readInThread({
  signal,
  request,
  preparation,
}: ReadTask<keyof Signals>): ReadOutcome<keyof Signals> {
  try {
    const { content, ...read } = READERS[signal](request, preparation);
    return { read: { ...read, content: { parts: packTexts(content.parts), chunks: content.chunks } } };
  } catch (error) {
    if (error instanceof MalformedBody) return { malformed: error.message };
    throw error;
  }
}
