import { beforeAll, beforeEach } from "vitest";
import { testProject } from "@/db/testing/test-project";
import { CAPABILITIES } from "@/server/platform/capabilities";
import { keyFor } from "@/server/rest/testing";
import { serve } from "@/server/rest/testing/serve";
import { v1 } from "@/server/rest/v1";
import { failedTool } from "@/server/services/diagnostics/work-items/testing";

/** What happens to a request instead of its being answered; `undefined` answers it. */
type Fault = (request: Request) => Promise<Response | undefined> | Response | undefined;

/** For tests of clients: `/v1` over HTTP with a project of its own, whose requests are seen and can be made to fail. */
export function product() {
  const running = {
    /** Where it is and what to send, by the names of the documentation's examples. */
    environment: {} as Record<string, string>,
    /** Applied to each request while it is set. */
    fault: undefined as Fault | undefined,
    requests: [] as { method: string; path: string; key: string | null }[],
  };
  beforeAll(async () => {
    const url = await serve(async (request) => {
      const { pathname, search } = new URL(request.url);
      const key = request.headers.get("idempotency-key");
      running.requests.push({ method: request.method, path: pathname + search, key });
      return (await running.fault?.(request)) ?? v1(request);
    });
    const { ctx } = await testProject();
    await failedTool(ctx);
    const key = await keyFor(ctx, ...CAPABILITIES);
    running.environment = { WHETSTONE: url, WHETSTONE_KEY: key, PROJECT_ID: ctx.projectId };
  });
  beforeEach(() => {
    running.fault = undefined;
    running.requests = [];
  });
  return running;
}

/** What the examples of the documentation print, by their titles. */
export const EXAMPLES_PRINT: Readonly<Record<string, RegExp>> = {
  "Read a whole list": /^(critical|high|medium|low|info) .*get_order/m,
  "Create something once": /^Refunds 0\n$/,
  "Tell refusals apart": /^404 not_found\n$/,
};

const CODES = { 409: "conflict", 429: "rate_limited", 503: "unavailable" };

/** Answered, answered without the client's hearing of it, or refused with a status and its `Retry-After`. */
type Outcome = "answered" | "lost" | [status: keyof typeof CODES, retryAfter: number];

/** What happens to the first requests, in turn; the others are answered. */
export function inTurn(...outcomes: Outcome[]): Fault {
  const left = [...outcomes];
  return async (request) => {
    const outcome = left.shift() ?? "answered";
    if (outcome === "answered") return undefined;
    if (outcome === "lost") {
      await v1(request);
      throw new Error("The connection is gone.");
    }
    const [status, retryAfter] = outcome;
    const problem = { status, code: CODES[status], detail: "Later." };
    const headers = { "retry-after": String(retryAfter), "content-type": "application/problem+json" };
    return new Response(JSON.stringify(problem), { status, headers });
  };
}
