import type { MessagePort } from "node:worker_threads";
import { type ThreadError, toThreadError } from "../thread-error";

/** A file that the thread reads through the process that started it. */
export type Source = {
  /** Bytes. */
  readonly size: number;
  /** Returns the bytes from `start` up to, not including, `end`. */
  read(start: number, end: number): Promise<Uint8Array>;
};

export type Sent<Task> = { task: Task; port: MessagePort; size: number | undefined };
export type ReadRequest = { id: number; start: number; end: number };
export type ReadReply = { id: number } & ({ bytes: Uint8Array } | { failed: string });
/** Errors are not thrown: they would lose their class, and only the end of a thread rejects. */
export type Outcome<Result> = { done: Result } | { failed: ThreadError };

/** Returns the entry point of a thread that does this work. */
export const inThread =
  <Task, Result>(work: (task: Task, source?: Source) => Promise<Result>) =>
  async ({ task, port, size }: Sent<Task>): Promise<Outcome<Result>> => {
    port.postMessage("begun");
    try {
      return { done: await work(task, size === undefined ? undefined : sourceAt(port, size)) };
    } catch (error) {
      return { failed: toThreadError(error) };
    } finally {
      port.close();
    }
  };

function sourceAt(port: MessagePort, size: number): Source {
  const waiting = new Map<number, (reply: ReadReply) => void>();
  let asked = 0;
  port.on("message", (reply: ReadReply) => {
    waiting.get(reply.id)?.(reply);
    waiting.delete(reply.id);
  });
  return {
    size,
    read: (start, end) =>
      new Promise((resolve, reject) => {
        const request: ReadRequest = { id: asked++, start, end };
        waiting.set(request.id, (reply) =>
          "bytes" in reply ? resolve(Buffer.from(reply.bytes)) : reject(new Error(reply.failed)),
        );
        port.postMessage(request);
      }),
  };
}
