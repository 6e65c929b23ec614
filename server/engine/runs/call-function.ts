import { createHash } from "node:crypto";
import type { Inngest, InngestFunction } from "inngest";
import { serve } from "inngest/edge";
import type { JobEvent } from "@/db/schema/engine";
import { duringTurn } from "../events/sending";
import { retryDelay } from "../functions/durations";
import { type CallResult, errorOf, type Op } from "./protocol";
import type { Step } from "./steps";

/** One call: of the function itself (`stepId` undefined), or of one of its parallel steps. */
export type Call = {
  runId: string;
  functionId: string;
  event: JobEvent;
  stepId: string | undefined;
  attempt: number;
  maxAttempts: number;
  /** In order of completion. */
  finished: readonly Step[];
  /** Whether other steps of the run are still open: then the SDK must plan a step that it finds, not run it. */
  othersOpen: boolean;
};

export type CallFunction = (call: Call) => Promise<CallResult>;

/** Never contacted: the handler runs in-process, but takes a `Request`. */
const ADDRESS = "http://embedded.invalid/api/inngest";

/** Returns a function that calls the SDK's handler in-process, as a server would over HTTP. */
export function createCaller(client: Inngest.Any, functions: readonly InngestFunction.Any[]): CallFunction {
  const handle = serve({ client, functions: [...functions] });
  return async (call) => {
    const url = new URL(ADDRESS);
    url.searchParams.set("fnId", call.functionId);
    url.searchParams.set("stepId", call.stepId ?? "step");
    const request = new Request(url, {
      method: "POST",
      headers: { host: url.host, "content-type": "application/json" },
      body: JSON.stringify(bodyOf(call)),
    });
    const response: Response = await duringTurn(turnKey(call), () => handle(request));
    return resultOf(response);
  };
}

/** Stable for a repeated turn, different for the next one. */
const turnKey = ({ runId, stepId, finished }: Call) =>
  createHash("sha1")
    .update([runId, stepId ?? "", ...finished.map(({ id }) => id).sort()].join("\n"))
    .digest("hex");

/** Without `ctx.fn_id` the SDK never stores steps at a server: it returns after one turn. */
function bodyOf({ runId, event, attempt, maxAttempts, finished, othersOpen, stepId }: Call) {
  const ids = finished.map(({ id }) => id);
  return {
    version: 2,
    event,
    events: [event],
    steps: Object.fromEntries(finished.map((step) => [step.id, memoized(step)])),
    ctx: {
      run_id: runId,
      attempt,
      max_attempts: maxAttempts,
      disable_immediate_execution: othersOpen || stepId !== undefined,
      use_api: false,
      stack: { stack: ids, current: ids.length },
    },
  };
}

function memoized(step: Step) {
  if (step.state === "failed") return { error: step.error };
  if (step.op === "Sleep") return null;
  return { data: step.data ?? null };
}

async function resultOf(response: Response): Promise<CallResult> {
  const text = await response.text();
  const body = parsed(text);
  const retryAfter = retryDelay(response.headers.get("retry-after"));
  if (response.status === 200) return { kind: "done", output: body };
  if (response.status === 206 && Array.isArray(body)) {
    const ops = body as Op[];
    const complete = ops.find(({ op }) => op === "RunComplete");
    return complete ? { kind: "done", output: complete.data ?? null } : { kind: "ops", ops, retryAfter };
  }
  return {
    kind: "error",
    error: errorOf(body),
    final: response.headers.get("x-inngest-no-retry") === "true",
    retryAfter,
  };
}

function parsed(text: string): unknown {
  try {
    return text === "" ? null : JSON.parse(text);
  } catch {
    return text;
  }
}
