import { type Ctx, requireCapability } from "@/server/platform/context";
import { ServiceError } from "@/server/platform/errors";
import type { Outgoing } from "@/server/platform/stream-verb";
import { ingestLimits, operationLimits, requestLimits } from "@/server/services/rate-limits";
import type { AnyStreamVerb, StreamOperation } from "../operation";
import { incomingBody } from "./incoming-body";
import { outgoingResponse } from "./outgoing-response";
import { readAddress } from "./read-input";
import { callerOf, look, spend, type Visit } from "./visit";

const SECONDS = 600;
/** The minimum that a batch counts for: headers, a response and a receipt cost something too. */
const REQUEST_BYTES = 1024;

/** Returns a signal that aborts when the client disconnects or the time limit is reached. `end` releases both. */
function deadlineOf({ signal: client }: Request, seconds: number) {
  const controller = new AbortController();
  // A ServiceError, or it would be logged as a failure of ours.
  const gone = () => controller.abort(new ServiceError("invalid", "The client disconnected."));
  const late = () => controller.abort(new ServiceError("timed_out", `The time limit is ${seconds} s.`));
  const timer = setTimeout(late, seconds * 1000);
  client.addEventListener("abort", gone, { once: true });
  if (client.aborted) gone();
  const end = () => {
    clearTimeout(timer);
    client.removeEventListener("abort", gone);
  };
  return { signal: controller.signal, end };
}

/** Counts a request by the decompressed bytes of its body, which are known only after reading it. */
async function byBytes(visit: Visit, ctx: Ctx) {
  const limits = ingestLimits(ctx.actor);
  // Before the body is read, so that a caller over the limit costs us no reading. Nothing is counted yet: a batch that is
  // refused below would otherwise use up the quota that its retry needs.
  await look(visit, ctx, limits, REQUEST_BYTES);
  let isCounted = false;
  const counted = (bytes: number) => {
    isCounted = true;
    return spend(visit, ctx, limits, Math.max(bytes, REQUEST_BYTES));
  };
  // An unreadable body costs something as well.
  const failed = async () => void (isCounted || (await counted(0).catch(() => {})));
  return { counted, failed };
}

async function byRequests(visit: Visit, ctx: Ctx, { spec }: AnyStreamVerb) {
  const { rate } = spec.limits ?? {};
  const own = typeof rate === "object" ? operationLimits(ctx.actor, spec.name, rate.perMinute) : [];
  await spend(visit, ctx, [...requestLimits(ctx.actor), ...own], 1);
  return { counted: async () => {}, failed: async () => {} };
}

const headersOf = ({ headers }: Request, names: readonly string[] = []) =>
  Object.fromEntries(names.flatMap((name) => (headers.has(name) ? [[name, headers.get(name) as string]] : [])));

function requireBoth(ctx: Ctx, { capability, besides }: AnyStreamVerb["spec"]) {
  requireCapability(ctx, capability);
  if (besides) requireCapability(ctx, [besides]);
}

/** Runs an operation that streams its request or response body. */
export async function runStream(visit: Visit, { stream, path, status = 200 }: StreamOperation): Promise<Response> {
  const { request, params, problemContext } = visit;
  const { spec } = stream;
  const ctx = await callerOf(visit, path, spec.effect);
  const isByBytes = spec.limits?.rate === "telemetry";
  if (isByBytes) requireBoth(ctx, spec);
  const meter = isByBytes ? await byBytes(visit, ctx) : await byRequests(visit, ctx, stream);
  requireBoth(ctx, spec);
  const { signal, end } = deadlineOf(request, spec.limits?.seconds ?? SECONDS);
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
