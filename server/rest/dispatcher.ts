import type { Db } from "@/db/client";
import { db } from "@/db/pool";
import { METHODS, type Method } from "@/server/operations/row";
import { type Ctx, requireCapability } from "@/server/platform/context";
import { recordDatabaseSuccess } from "@/server/platform/database/database-fault";
import { notFound, ServiceError } from "@/server/platform/errors";
import { hasTooManyParameters, QUERY_PARAMETERS_MAX } from "@/server/platform/http/query-parameters";
import { requestIdOf } from "@/server/platform/http/request-id";
import { etagOf, matchesEtag } from "@/server/platform/http/revalidation";
import { isFrozenObject, memoizeByFrozenObject } from "@/server/platform/memoize";
import { createRateLimiter, requestLimits } from "@/server/services/rate-limits";
import { countRefusal } from "@/server/services/telemetry";
import { deprecationOf } from "./http/deprecation";
import { finalize } from "./http/finalize";
import { idempotencyKeyOf, type PreparedCall, runOnce } from "./http/idempotency-key";
import { type Match, matcher } from "./http/match";
import { type ProblemContext, problemResponse } from "./http/problem";
import { readInput } from "./http/read-input";
import { callerOf, type RequestContext, spend } from "./http/request-context";
import { runStream } from "./http/run-stream";
import { factsOf, type Operation, type VerbOperation } from "./operation";

/** What the addresses of all operations begin with. */
export const PREFIX = "/v1";

/** The original request where Next cannot route it: web/admission.ts sends it here, to be refused like any other. */
const ORIGINAL_ADDRESS = "x-asked-address";
const ORIGINAL_METHOD = "x-asked-method";

const textOf = memoizeByFrozenObject((body) => Buffer.from(JSON.stringify(body)));

const json = (body: unknown, status: number, headers: Record<string, string> = {}) =>
  new Response(isFrozenObject(body) ? textOf(body) : JSON.stringify(body), {
    status,
    headers: { "content-type": "application/json", ...headers },
  });

/** Returns the reply with its ETag, or a 304 without it if that is what the client has. Private: it depends on the caller. */
function revalidated(request: Request, reply: unknown): Response {
  const body = new TextEncoder().encode(JSON.stringify(reply));
  const headers = { etag: etagOf(body), "cache-control": "private, no-cache" };
  return matchesEtag(request.headers.get("if-none-match"), headers.etag)
    ? new Response(null, { status: 304, headers })
    : new Response(body, { headers: { ...headers, "content-type": "application/json" } });
}

const problemOf = (unreadable: string) =>
  hasTooManyParameters(unreadable)
    ? `The address has more than ${QUERY_PARAMETERS_MAX} query parameters.`
    : "The address has invalid percent-encoding or is not UTF-8.";

const allowOf = ({ operations }: Match) =>
  [...METHODS.filter((method) => operations.has(method)), ...(operations.has("GET") ? ["HEAD"] : []), "OPTIONS"].join(
    ", ",
  );

async function runVerb(context: RequestContext, operation: VerbOperation) {
  const { request, problemContext } = context;
  const { verb, method, path, status = 200 } = operation;
  const { projectId: _, ...own } = context.params;
  const ctx = await callerOf(context, path, verb.spec.effect);
  await spend(context, ctx, requestLimits(ctx.actor), 1);
  // The verb checks again. Checked here before the body is parsed, so that validation errors reveal nothing to unauthorized callers.
  requireCapability(ctx, verb.spec.capability);
  const prepare = async (as: Ctx, given: Request): Promise<PreparedCall> => {
    const input = await readInput(given, method, verb.spec.input, own);
    const { finish } = await verb.prepare(as, input as never);
    return async (on) => {
      const { reply, after } = await finish(on);
      const response = verb.spec.revalidated
        ? revalidated(given, reply)
        : json(reply, status, deprecationOf(verb.spec.input, input));
      return { response, after };
    };
  };
  const key = method === "POST" ? idempotencyKeyOf(request.headers) : undefined;
  if (key !== undefined) return runOnce(ctx, key, request, problemContext, prepare);
  const { response, after } = await (await prepare(ctx, request))(ctx);
  await after();
  return response;
}

async function run(context: RequestContext, operation: Operation) {
  if ("open" in operation) return operation.open(context.request, context.params);
  const response = await ("verb" in operation ? runVerb(context, operation) : runStream(context, operation));
  if (response.ok) recordDatabaseSuccess(factsOf(operation).effect);
  return response;
}

/**
 * Returns a handler that serves a table of operations over HTTP: one place for matching, credentials, input, responses and
 * errors, so that routes cannot differ by accident.
 */
export function createDispatcher(operations: readonly Operation[], database: () => Db = db) {
  const limiter = createRateLimiter();
  const match = matcher(operations);

  return async function dispatch(request: Request): Promise<Response> {
    const requestId = requestIdOf(request.headers);
    const { pathname } = new URL(request.url);
    const unreadable = request.headers.get(ORIGINAL_ADDRESS);
    const problemContext: ProblemContext = { requestId, instance: unreadable?.split("?", 1)[0] ?? pathname };
    const responseHeaders: Record<string, string> = {};
    try {
      if (unreadable !== null) throw new ServiceError("invalid", problemOf(unreadable));
      const matched = match(pathname.slice(PREFIX.length));
      if (!matched) throw notFound("This address");
      if (request.method === "OPTIONS" && !request.headers.has(ORIGINAL_METHOD)) {
        return finalize(new Response(null, { status: 204 }), request, requestId, { allow: allowOf(matched) });
      }
      const method = request.method === "HEAD" ? "GET" : (request.method as Method);
      const operation = matched.operations.get(method);
      if (!operation) {
        responseHeaders.allow = allowOf(matched);
        throw new ServiceError("method_not_allowed", `This address accepts ${allowOf(matched)}.`);
      }
      problemContext.openAi = "stream" in operation && operation.stream.spec.problems === "openai";
      if (operation.deprecated) {
        responseHeaders.deprecation = `@${Date.parse(operation.deprecated.since) / 1000}`;
      }
      const { params } = matched;
      const context = { database: database(), limiter, request, problemContext, responseHeaders, params };
      return finalize(await run(context, operation), request, requestId, responseHeaders);
    } catch (error) {
      countRefusal(request, pathname, error);
      return finalize(problemResponse(error, problemContext), request, requestId, responseHeaders);
    }
  };
}
