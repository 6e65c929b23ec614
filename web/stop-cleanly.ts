import cluster from "node:cluster";
import type { Server } from "node:http";
import { unfinishedWork } from "@/server/platform/event-loop/unfinished-work";
import { refusals } from "@/server/platform/http/telemetry-refusals";

const FINISH_MS = 8_000;
const IDLE_MS = 100;

export type Stop = () => Promise<void>;

/** Ends the process when it is told to, once its requests and what they have left to do are finished. */
export function stopCleanly(server: Server, stops: readonly Stop[]): void {
  let stopping = false;
  const stop = () => {
    if (stopping) return;
    stopping = true;
    const closed = new Promise((resolve) => server.close(resolve));
    void Promise.all([closed, ...stops.map((stop) => stop())])
      .then(unfinishedWork)
      .then(() => refusals.flush())
      .then(() => process.exit(0));
    server.closeIdleConnections();
    // Those of requests that end only now would be kept alive for clients that cannot ask again.
    setInterval(() => server.closeIdleConnections(), IDLE_MS).unref();
    // Requests in progress may finish; an endless stream may not.
    setTimeout(() => process.exit(0), FINISH_MS).unref();
  };
  process.on("SIGTERM", stop);
  // One of several web processes shares the supervisor's terminal, which is told to stop and then stops them all.
  process.on("SIGINT", cluster.isWorker ? () => {} : stop);
  if (cluster.isWorker) process.on("SIGHUP", () => {});
}
