import { randomBytes } from "node:crypto";
import type { TestProject } from "../data/project";

/** Load with known contents: what was sent, what was acknowledged, what must be stored. */

export const CALLS_A_TRACE = 5;
/** Time limit for any response. */
const ANSWER_MS = 45_000;

const hex = (bytes: number) => randomBytes(bytes).toString("hex");
/** An attribute in OTLP/JSON. */
export const attribute = (key: string, value: string | number) => ({
  key,
  value:
    typeof value === "string"
      ? { stringValue: value }
      : Number.isInteger(value)
        ? { intValue: value }
        : { doubleValue: value },
});

/** One trace of a session: model calls and a tool that fails, so that every session has a Finding. */
export function knownTrace(session: string) {
  const traceId = hex(16);
  const start = BigInt(Date.now()) * 1_000_000n;
  const span = (i: number, name: string, attributes: object[], status = {}) => ({
    traceId,
    spanId: hex(8),
    name,
    kind: 1,
    startTimeUnixNano: String(start + BigInt(i) * 1_000_000n),
    endTimeUnixNano: String(start + BigInt(i) * 1_000_000n + 500_000n),
    status,
    attributes: [attribute("session.id", session), ...attributes],
  });
  const calls = Array.from({ length: CALLS_A_TRACE }, (_, i) =>
    span(i, "chat gpt-4o", [
      attribute("gen_ai.operation.name", "chat"),
      attribute("gen_ai.provider.name", "openai"),
      attribute("gen_ai.request.model", "gpt-4o"),
      attribute("gen_ai.response.id", hex(8)),
      attribute("gen_ai.usage.input_tokens", 100),
      attribute("gen_ai.usage.output_tokens", 10),
      attribute(
        "gen_ai.input.messages",
        JSON.stringify([{ role: "user", parts: [{ type: "text", content: `question ${hex(4)}` }] }]),
      ),
      attribute(
        "gen_ai.output.messages",
        JSON.stringify([{ role: "assistant", parts: [{ type: "text", content: "An answer." }] }]),
      ),
    ]),
  );
  const tool = span(
    CALLS_A_TRACE,
    "execute_tool get_order",
    [
      attribute("gen_ai.operation.name", "execute_tool"),
      attribute("gen_ai.tool.name", "get_order"),
      attribute("gen_ai.tool.call.id", hex(4)),
      attribute("gen_ai.tool.call.result", "Error: order not found"),
    ],
    { code: 2, message: "order not found" },
  );
  return { traceId, spans: [...calls, tool] };
}

export type KnownTrace = ReturnType<typeof knownTrace>;

export const headers = ({ secret }: Pick<TestProject, "secret">) => ({
  authorization: `Bearer ${secret}`,
  "content-type": "application/json",
});

/** Reads the body too, because a response may be cut off. */
const whole = async (reply: Response) => {
  const { status, headers } = reply;
  return new Response(await reply.arrayBuffer(), { status, headers });
};

/** Sends once; throws without a response. */
export const sendTrace = (project: TestProject, url: string, sent: KnownTrace) =>
  fetch(`${url}/v1/otlp/v1/traces`, {
    method: "POST",
    headers: headers(project),
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: sent.spans }] }] }),
    signal: AbortSignal.timeout(ANSWER_MS),
  }).then(whole);

/** Later than any session: each later moment is a distinct request about the whole session. */
const AFTER_ALL = Date.UTC(2100, 0);

/** Requests a session's Rule Runs once; each `activity` number is a distinct request, and `key` makes a retry the same one. */
export const askForRuns = (
  project: TestProject,
  url: string,
  { writer, session, activity = 1, key }: { writer: string; session: string; activity?: number; key?: string },
) =>
  fetch(`${url}/v1/projects/${project.projectId}/diagnostics/rule-runs`, {
    method: "POST",
    headers: { ...headers({ secret: writer }), ...(key && { "idempotency-key": key }) },
    body: JSON.stringify({ conversationId: session, lastActivityAt: AFTER_ALL + activity }),
    signal: AbortSignal.timeout(ANSWER_MS),
  }).then(whole);

/** Returns the ids of the queued Runs; empty when the session was not readable yet. */
export const runIdsOf = async (reply: Response) =>
  reply.status === 202 ? ((await reply.json()).runs as { id: string }[]).map((run) => run.id) : [];
