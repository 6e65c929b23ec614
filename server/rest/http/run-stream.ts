import type { AnyStreamVerb } from "@/server/operations/row";
import { type Ctx, requireCapability } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import type { Outgoing } from "@/server/platform/stream-verb";
import { ingestLimits, operationLimits, requestLimits } from "@/server/services/rate-limits";
import type { StreamOperation } from "../operation";
import { incomingBody } from "./incoming-body";
import { outgoingResponse } from "./outgoing-response";
import { readAddress } from "./read-input";
import { callerOf, look, type RequestContext, spend } from "./request-context";

const SECONDS = 600;
/** How often the caller of a stream is authenticated again: an operation without a stream is over before that. */
const RECHECK_MS = 3_000;
const LOST_ACCESS: readonly string[] = ["unauthenticated", "forbidden", "not_found"];
/** The minimum that a batch counts for: headers, a response and a receipt cost something too. */
const REQUEST_BYTES = 1024;

/**
 * Calls `lost` when the caller no longer has access: signed out, disabled, removed from the project, given a lesser role, or with
 * a revoked key. A check that fails for another reason, such as an unreachable database, says nothing about access.
 */
function watchAccess(check: () => Promise<void>, lost: (reason: ServiceError) => void) {
  let isChecking = false;
  const recheck = async () => {
    if (isChecking) return;
    isChecking = true;
    try {
      await check();
    } catch (error) {
      if (error instanceof ServiceError && LOST_ACCESS.includes(error.code)) lost(error);
    } finally {
      isChecking = false;
    }
  };
  const timer = setInterval(() => void recheck(), RECHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
}

/**
 * Returns a signal that aborts when the client disconnects, when the time limit is reached, or when `hasAccess` throws that the
 * caller has lost access. `end` releases all three.
 */
function deadlineOf({ signal: client }: Request, seconds: number, hasAccess: () => Promise<void>) {
  const controller = new AbortController();
  // A ServiceError, or it would be logged as a failure of ours.
  const gone = () => controller.abort(new ServiceError("invalid", "The client disconnected."));
  const late = () => controller.abort(new ServiceError("timed_out", `The time limit is ${seconds} s.`));
  const timer = setTimeout(late, seconds * 1000);
  const unwatch = watchAccess(hasAccess, (reason) => controller.abort(reason));
  client.addEventListener("abort", gone, { once: true });
  if (client.aborted) gone();
  const end = () => {
    clearTimeout(timer);
    unwatch();
    client.removeEventListener("abort", gone);
  };
  return { signal: controller.signal, end };
}

/** Counts a request by the decompressed bytes of its body, which are known only after reading it. */
async function byBytes(context: RequestContext, ctx: Ctx) {
  const limits = ingestLimits(ctx.actor);
  // Before the body is read, so that a caller over the limit costs us no reading. Nothing is counted yet: a batch that is
  // refused below would otherwise use up the quota that its retry needs.
  await look(context, ctx, limits, REQUEST_BYTES);
  let isCounted = false;
  const counted = (bytes: number) => {
    isCounted = true;
    return spend(context, ctx, limits, Math.max(bytes, REQUEST_BYTES));
  };
  // An unreadable body costs something as well.
  const failed = async () => void (isCounted || (await counted(0).catch(() => {})));
  return { counted, failed };
}

async function byRequests(context: RequestContext, ctx: Ctx, { spec }: AnyStreamVerb) {
  const { rate } = spec.limits ?? {};
  const own = typeof rate === "object" ? operationLimits(ctx.actor, spec.name, rate.perMinute) : [];
  await spend(context, ctx, [...requestLimits(ctx.actor), ...own], 1);
  return { counted: async () => {}, failed: async () => {} };
}

const headersOf = ({ headers }: Request, names: readonly string[] = []) =>
  Object.fromEntries(names.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) as string]] : [])));

function requireBoth(ctx: Ctx, { capability, besides }: AnyStreamVerb["spec"]) {
  requireCapability(ctx, capability);
  if (besides) requireCapability(ctx, [besides]);
}

/** Runs an operation that streams its request or response body. */
export async function runStream(
  context: RequestContext,
  { stream, path, status = 200 }: StreamOperation,
): Promise<Response> {
  const { request, params, problemContext } = context;
  const { spec } = stream;
  const ctx = await callerOf(context, path, spec.effect);
  const isByBytes = spec.limits?.rate === "telemetry";
  if (isByBytes) requireBoth(ctx, spec);
  const meter = isByBytes ? await byBytes(context, ctx) : await byRequests(context, ctx, stream);
  requireBoth(ctx, spec);
  const { signal, end } = deadlineOf(request, spec.limits?.seconds ?? SECONDS, async () =>
    requireBoth(await callerOf(context, path, spec.effect), spec),
  );
  try {
    const body = spec.consumes && incomingBody(request, spec.consumes, signal, meter.counted);
    const { projectId: _, ...own } = params;
    const range = (spec.ranges && request.headers.get("range")) || undefined;
    const result = await stream(ctx, readAddress(request, spec.input, own) as never, {
      body,
      signal,
      range,
      headers: headersOf(request, spec.reads),
    });
    if (!spec.reply) {
      const outgoing = result as Outgoing;
      return await outgoingResponse(outgoing, outgoing.status ?? status, {
        signal,
        requestId: problemContext.requestId,
        ended: end,
      });
    }
    end();
    return Response.json(result, { status });
  } catch (error) {
    end();
    await meter.failed();
    throw error;
  }
}
