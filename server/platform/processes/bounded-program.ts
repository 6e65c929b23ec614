import { setPriority } from "node:os";
import { Worker } from "node:worker_threads";
import { type ThreadError, toThreadError } from "./thread-error";

/** A file that the program reads through the process that started it. */
export type Source = {
  /** Bytes. */
  readonly size: number;
  /** Returns the bytes from `start` up to, not including, `end`. */
  read(start: number, end: number): Promise<Uint8Array>;
};

/** `next` asks for one more result of a task that has many. */
export type Message<Task> = { task: Task; size: number | undefined } | "next";
/** What the program is sent: its task, then the parts of the file that it asked for. */
export type Sent<Task> = Message<Task> | ReadReply;
export type ReadRequest = { id: number; start: number; end: number };
export type ReadReply = { id: number } & ({ bytes: Uint8Array } | { failed: string });
export type Outcome<Result> = { done: Result } | { failed: ThreadError };
/** What the program sends. */
export type Answer<Result> = "ready" | ReadRequest | Outcome<Result>;

/** The whole of a program that does one task that its parent sends, and ends. */
export function boundedProgram<Task, Result>(work: (task: Task, source?: Source) => Promise<Result>): void {
  serve<Task>({
    answer: (message, sourceOf) => {
      if (message === "next") throw new Error("This program has one result.");
      return work(message.task, sourceOf(message.size));
    },
    answered: () => process.disconnect(),
  });
}

/** The whole of a program that sends the results of one task, each when its parent asks for it, and makes one ahead. */
export function boundedStreamProgram<Task, Result>(
  work: (task: Task, source?: Source) => AsyncGenerator<Result, void>,
): void {
  endWithParent();
  let results: AsyncGenerator<Result, void> | undefined;
  let ahead: Promise<IteratorResult<Result, void>> | undefined;
  let unsent = 0;
  serve<Task>({
    answer: async (message, sourceOf) => {
      if (message !== "next") results = work(message.task, sourceOf(message.size));
      if (!results) throw new Error("A task comes first.");
      unsent++;
      const result = ahead ?? results.next();
      ahead = undefined;
      return result;
    },
    answered: () => {
      // The parent may ask for the next one before it is known here that this one was sent.
      if (--unsent > 0) return;
      ahead = results?.next();
      // Whoever asks for it gets its error.
      ahead?.catch(() => undefined);
    },
  });
}

/** A program that never waits does not see that its channel is closed, and one with many results has no limit in all. */
function endWithParent() {
  const look = `const { workerData: parent } = require("node:worker_threads");
    setInterval(() => { if (process.ppid !== parent) process.kill(process.pid, "SIGKILL"); }, 1000);`;
  new Worker(look, { eval: true, workerData: process.ppid }).unref();
}

type Served<Task> = {
  answer: (message: Message<Task>, sourceOf: (size: number | undefined) => Source | undefined) => Promise<unknown>;
  answered?: () => void;
};

function serve<Task>({ answer, answered }: Served<Task>): void {
  // Requests have priority.
  setPriority(5);
  const waiting = new Map<number, (reply: ReadReply) => void>();
  let reads = 0;
  const sourceOf = (size: number | undefined): Source | undefined =>
    size === undefined
      ? undefined
      : {
          size,
          read: (start, end) =>
            new Promise((resolve, reject) => {
              const request: ReadRequest = { id: reads++, start, end };
              waiting.set(request.id, (reply) =>
                "bytes" in reply ? resolve(Buffer.from(reply.bytes)) : reject(new Error(reply.failed)),
              );
              send(request);
            }),
        };
  process.on("message", (message: Sent<Task>) => {
    if (message === "next" || "task" in message) {
      void Promise.resolve()
        .then(() => answer(message, sourceOf))
        .then((done): Outcome<unknown> => ({ done }))
        // An error itself would lose its class.
        .catch((error: unknown): Outcome<unknown> => ({ failed: toThreadError(error) }))
        .then((outcome) => send(outcome, answered));
    } else {
      waiting.get(message.id)?.(message);
      waiting.delete(message.id);
    }
  });
  send("ready");

  function send(sent: Answer<unknown>, done: () => void = () => {}): void {
    process.send?.(sent, undefined, undefined, done);
  }
}
