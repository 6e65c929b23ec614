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
/** What a batch counts for at least: headers, an answer and a receipt cost something too. */
const REQUEST_BYTES = 1024;

/** A signal that aborts when the client is gone or the time is up. `end` lets go of both. */
function deadlineOf({ signal: client }: Request, seconds: number) {
  const controller = new AbortController();
  // In a service's words, or the log would take it for a failure of ours.
  const gone = () => controller.abort(new ServiceError("invalid", "The client went away."));
  const late = () => controller.abort(new ServiceError("timed_out", `This may take ${seconds} s.`));
  const timer = setTimeout(late, seconds * 1000);
  client.addEventListener("abort", gone, { once: true });
  if (client.aborted) gone();
  const end = () => {
    clearTimeout(timer);
    client.removeEventListener("abort", gone);
  };
  return { signal: controller.signal, end };
}

/** Counts a request by the decompressed bytes of its body, which are known late. */
async function byBytes(visit: Visit, ctx: Ctx) {
  const limits = ingestLimits(ctx.actor);
  // Before the body is read: whoever is over the limit does not cost us the reading either. Nothing is counted yet, or a
  // batch that is refused below would use up what its next try needs.
  await look(visit, ctx, limits, REQUEST_BYTES);
  let isCounted = false;
  const counted = (bytes: number) => {
    isCounted = true;
    return spend(visit, ctx, limits, Math.max(bytes, REQUEST_BYTES));
  };
  // What could not be read cost something as well.
  const failed = async () => void (isCounted || (await counted(0).catch(() => {})));
  return { counted, failed };
}

async function byRequests(visit: Visit, ctx: Ctx, { spec }: AnyStreamVerb) {
  const { rate } = spec.limits ?? {};
  const own = typeof rate === "object" ? operationLimits(ctx.actor, spec.name, rate.perMinute) : [];
  await spend(visit, ctx, [...requestLimits(ctx.actor), ...own], 1);
  return { counted: async () => {}, failed: async () => {} };
}

/** Runs an operation whose body or answer is a stream. */
export async function runStream(visit: Visit, { stream, path, status = 200 }: StreamOperation): Promise<Response> {
  const { request, params, asked } = visit;
  const { spec } = stream;
  const ctx = await callerOf(visit, path, spec.effect);
  const isByBytes = spec.limits?.rate === "telemetry";
  if (isByBytes) requireCapability(ctx, spec.capability);
  const meter = isByBytes ? await byBytes(visit, ctx) : await byRequests(visit, ctx, stream);
  requireCapability(ctx, spec.capability);
  const { signal, end } = deadlineOf(request, spec.limits?.seconds ?? SECONDS);
  try {
    const body = spec.consumes && incomingBody(request, spec.consumes, signal, meter.counted);
    const { projectId: _, ...own } = params;
    const range = (spec.ranges && request.headers.get("range")) || undefined;
    const result = await stream(ctx, readAddress(request, spec.input, own) as never, { body, signal, range });
    if (!spec.reply) {
      const outgoing = result as Outgoing;
      return await outgoingResponse(outgoing, outgoing.status ?? status, {
        signal,
        requestId: asked.requestId,
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
