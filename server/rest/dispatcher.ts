import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { requireCapability } from "@/server/platform/context";
import { notFound, ServiceError } from "@/server/platform/errors";
import { requestIdOf } from "@/server/platform/request-id";
import { ctxOfKey, ctxOfProject } from "./authenticate";
import { type Match, matcher } from "./match";
import {
  isProjectQualified,
  METHODS,
  type Method,
  type Operation,
  type RawOperation,
  type VerbOperation,
} from "./operation";
import { problemResponse } from "./problem";
import { readInput } from "./read-input";

const PREFIX = "/v1";

/** What was asked where Next cannot route it: scripts/lib/front-door.mjs sends it here, to be refused like anything else. */
const ASKED_ADDRESS = "x-asked-address";
const ASKED_METHOD = "x-asked-method";

const json = (body: unknown, status: number) =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });

const allowOf = ({ operations }: Match) =>
  [...METHODS.filter((method) => operations.has(method)), ...(operations.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(
    ", ",
  );

async function runVerb(database: Db, request: Request, operation: VerbOperation, params: Record<string, string>) {
  const { verb, method, path, status = 200 } = operation;
  const { projectId, ...own } = params;
  const ctx =
    projectId !== undefined && isProjectQualified(path)
      ? await ctxOfProject(database, request, projectId, verb.spec.effect)
      : await ctxOfKey(database, request);
  // The verb checks again; asked first here, nobody learns from their body's errors what they may not do.
  requireCapability(ctx, verb.spec.capability);
  const input = await readInput(request, method, verb.spec.input, own);
  return json(await verb(ctx, input as never), status);
}

async function runRaw(database: Db, request: Request, operation: RawOperation) {
  const ctx = await ctxOfKey(database, request);
  requireCapability(ctx, operation.capability);
  return operation.raw(request, ctx);
}

const run = (database: Db, request: Request, operation: Operation, params: Record<string, string>) =>
  "verb" in operation
    ? runVerb(database, request, operation, params)
    : "raw" in operation
      ? runRaw(database, request, operation)
      : operation.open(request);

/** Every answer is private to its moment and says by which id it is found in the log. */
function finished(response: Response, request: Request, requestId: string, extra: Record<string, string> = {}) {
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(extra)) headers.set(name, value);
  if (!headers.has("cache-control")) headers.set("cache-control", "no-store");
  headers.set("x-content-type-options", "nosniff");
  headers.set("x-request-id", requestId);
  return new Response(request.method === "HEAD" ? null : response.body, { status: response.status, headers });
}

/**
 * Serves a table of operations as HTTP: one place for matching, credentials, input, answers and errors, so that no route
 * can differ from another by accident.
 */
export function createDispatcher(operations: readonly Operation[], database: () => Db = db) {
  const match = matcher(operations);

  return async function dispatch(request: Request): Promise<Response> {
    const requestId = requestIdOf(request.headers);
    const { pathname } = new URL(request.url);
    const unreadable = request.headers.get(ASKED_ADDRESS);
    const asked = { requestId, instance: unreadable ?? pathname };
    let extra: Record<string, string> = {};
    try {
      if (unreadable !== null) {
        throw new ServiceError("invalid", "The address has a broken percent-encoding or is not UTF-8.");
      }
      const matched = match(pathname.slice(PREFIX.length));
      if (!matched) throw notFound("This address");
      if (request.method === "OPTIONS" && !request.headers.has(ASKED_METHOD)) {
        return finished(new Response(null, { status: 204 }), request, requestId, { allow: allowOf(matched) });
      }
      const method = request.method === "HEAD" ? "GET" : (request.method as Method);
      const operation = matched.operations.get(method);
      if (!operation) {
        extra = { allow: allowOf(matched) };
        throw new ServiceError("method_not_allowed", `This address takes ${allowOf(matched)}.`);
      }
      return finished(await run(database(), request, operation, matched.params), request, requestId);
    } catch (error) {
      return finished(problemResponse(error, asked), request, requestId, extra);
    }
  };
}
