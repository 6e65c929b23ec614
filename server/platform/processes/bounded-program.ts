import { setPriority } from "node:os";
import { type ThreadError, toThreadError } from "../thread-error";

/** A file that the program reads through the process that started it. */
export type Source = {
  /** Bytes. */
  readonly size: number;
  /** Returns the bytes from `start` up to, not including, `end`. */
  read(start: number, end: number): Promise<Uint8Array>;
};

/** What the program is sent: its task, then the parts of the file that it asked for. */
export type Sent<Task> = { task: Task; size: number | undefined } | ReadReply;
export type ReadRequest = { id: number; start: number; end: number };
export type ReadReply = { id: number } & ({ bytes: Uint8Array } | { failed: string });
export type Outcome<Result> = { done: Result } | { failed: ThreadError };
/** What the program sends. */
export type Answer<Result> = "ready" | ReadRequest | Outcome<Result>;

/** The whole of a program that does one task that its parent sends, and ends. */
export function boundedProgram<Task, Result>(work: (task: Task, source?: Source) => Promise<Result>): void {
  // Requests have priority.
  setPriority(5);
  const waiting = new Map<number, (reply: ReadReply) => void>();
  let asked = 0;
  const sourceOf = (size: number): Source => ({
    size,
    read: (start, end) =>
      new Promise((resolve, reject) => {
        const request: ReadRequest = { id: asked++, start, end };
        waiting.set(request.id, (reply) =>
          "bytes" in reply ? resolve(Buffer.from(reply.bytes)) : reject(new Error(reply.failed)),
        );
        send(request);
      }),
  });
  process.on("message", (message: Sent<Task>) => {
    if ("task" in message) {
      const { task, size } = message;
      void work(task, size === undefined ? undefined : sourceOf(size))
        .then((done): Outcome<Result> => ({ done }))
        // An error itself would lose its class.
        .catch((error: unknown): Outcome<Result> => ({ failed: toThreadError(error) }))
        .then((outcome) => send(outcome, () => process.disconnect()));
    } else {
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
  });
  send("ready");

  function send(answer: Answer<Result>, sent: () => void = () => {}): void {
    process.send?.(answer, undefined, undefined, sent);
  }
}
