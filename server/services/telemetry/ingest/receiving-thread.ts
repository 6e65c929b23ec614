import { availableParallelism } from "node:os";
import { openPool } from "@/db/pool";
import { env } from "@/env";
import type { Ctx } from "@/server/platform/context";
import { projectPool } from "@/server/platform/database/project-pool";
import { type ThreadError, toThreadError } from "@/server/platform/processes/thread-error";
import { type MaskedSpan, type MaskingTask, maskBodies } from "./mask-traces";
import { type StoredRequest, storeRequest, type TelemetryRequest } from "./store-request";

export type ReceivingTask = { caller: Pick<Ctx, "projectId" | "actor">; request: TelemetryRequest };
/** Errors are not thrown: they would lose their class, and only the end of a thread rejects. */
export type ReceivingOutcome = { stored: StoredRequest } | { failed: ThreadError };

/** The threads of one web process. The database, the worker and the pages need processors too. */
export const threadCount = () =>
  Math.max(1, Math.min(4, Math.floor((availableParallelism() - 1) / env().WEB_PROCESSES)));

/** Together half as many as the rest of the process, but a thread with a single one would let a slow project block the others. */
const connections = () => Math.max(2, Math.floor(env().DATABASE_POOL_SIZE / 2 / threadCount()));

let opened: ReturnType<typeof openPool> | undefined;
function ownPool() {
  opened ??= openPool({
    statementSeconds: env().DATABASE_STATEMENT_SECONDS,
    name: "whetstone telemetry",
    connections: connections(),
  });
  return opened.db;
}

/** Stores one request on a connection of this thread. Entry point of the threads that `receive-request.ts` starts. */
export default async function receiveInThread({ caller, request }: ReceivingTask): Promise<ReceivingOutcome> {
  try {
    const ctx = { ...caller, db: projectPool(ownPool(), caller.projectId) };
    return { stored: await storeRequest(ctx, request) };
  } catch (error) {
    return { failed: toThreadError(error) };
  }
}

/** Masks spans that are written elsewhere before they are stored. Entry point, too. */
export const maskInThread = (task: MaskingTask): MaskedSpan[][] => maskBodies(task);
