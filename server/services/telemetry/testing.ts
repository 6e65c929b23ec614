import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Ctx } from "@/server/platform/context";
import { decodeTraces, projectPending, storeTraces } from ".";
import { reportedBody } from "./otlp/testing/reports";

export type TestSpan = {
  /** Name of the instrumentation scope that reports it. */
  scope?: string;
  traceId?: string;
  spanId: string;
  parentSpanId?: string;
  name?: string;
  startMs?: number;
  /** Microseconds after `startMs`. */
  startUs?: number;
  durationMs?: number;
  error?: string;
  attributes?: Record<string, unknown>;
};

export const TRACE = "0af7651916cd43dd8448eb211c80319c";
const START_MS = Date.UTC(2026, 10, 1, 12);

const anyValue = (value: unknown): object => {
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: value } : { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(anyValue) } };
  return { stringValue: String(value) };
};

function otlpSpan(span: TestSpan) {
  const start = span.startMs ?? START_MS;
  return {
    traceId: span.traceId ?? TRACE,
    spanId: span.spanId,
    parentSpanId: span.parentSpanId ?? "",
    name: span.name ?? "span",
    kind: 1,
    startTimeUnixNano: `${start}${String(span.startUs ?? 0).padStart(3, "0")}000`,
    endTimeUnixNano: `${start + (span.durationMs ?? 10)}000000`,
    status: span.error === undefined ? {} : { code: 2, message: span.error },
    attributes: Object.entries(span.attributes ?? {}).map(([key, value]) => ({ key, value: anyValue(value) })),
  };
}

/** Returns an OTLP/JSON request with these spans of a version of the shop, as a client would send it. */
export function otlpJson(spans: readonly TestSpan[], version?: string, further: Readonly<Record<string, string>> = {}) {
  const resource = {
    "service.name": "shop",
    ...(version === undefined ? {} : { "service.version": version }),
    ...further,
  };
  return {
    resourceSpans: [
      {
        resource: { attributes: Object.entries(resource).map(([key, value]) => ({ key, value: anyValue(value) })) },
        scopeSpans: spans.map((span) => ({
          scope: { name: span.scope ?? "test", version: "1" },
          spans: [otlpSpan(span)],
        })),
      },
    ],
  };
}

/** Returns a chat call in OpenTelemetry's GenAI convention. */
export const chatSpan = (
  span: TestSpan,
  {
    model = "gpt-4o",
    input = [["user", "Hello"]] as [string, string][],
    output = "Hi, how can I help?",
    tokens = [100, 20] as [number, number] | null,
  } = {},
): TestSpan => ({
  name: `chat ${model}`,
  ...span,
  attributes: {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": model,
    "gen_ai.input.messages": JSON.stringify(
      input.map(([role, content]) => ({ role, parts: [{ type: "text", content }] })),
    ),
    "gen_ai.output.messages": JSON.stringify([
      { role: "assistant", parts: [{ type: "text", content: output }], finish_reason: "stop" },
    ]),
    ...(tokens && { "gen_ai.usage.input_tokens": tokens[0], "gen_ai.usage.output_tokens": tokens[1] }),
    ...span.attributes,
  },
});

/** Decodes and stores spans as the endpoint would, and waits until their conversations are rebuilt. */
export async function ingest(
  ctx: Ctx,
  spans: readonly TestSpan[],
  version?: string,
  resource?: Readonly<Record<string, string>>,
) {
  const batch = decodeTraces(Buffer.from(JSON.stringify(otlpJson(spans, version, resource))), "json");
  const stored = await storeTraces(ctx, batch);
  while ((await projectPending(ctx.db)) > 0);
  return stored;
}

/** For tests: stores a payload that products of this field have been reported to misread, by its name. */
export async function ingestReported(ctx: Ctx, name: string) {
  await storeTraces(ctx, decodeTraces(reportedBody(name), "json"));
  while ((await projectPending(ctx.db)) > 0);
}

const DATA = path.resolve(import.meta.dirname, "../../../../shared/data");
const FOLDERS = ["otlp", "otlp-python"].map((folder) => path.join(DATA, folder)).filter(existsSync);

/** For tests: whether payloads of other projects' clients, which we may not copy, are beside this checkout. */
export const hasRealPayloads = FOLDERS.length > 0;

/** For tests: returns those payloads. */
export const realPayloads = () =>
  FOLDERS.flatMap((folder) => {
    const entries: { file: string; kind: string }[] = JSON.parse(
      readFileSync(path.join(folder, "manifest.json"), "utf8"),
    );
    return entries.map(({ file, kind }) => ({
      name: file,
      isTraces: kind.startsWith("traces"),
      encoding: kind.endsWith("json") ? ("json" as const) : ("protobuf" as const),
      body: readFileSync(path.join(folder, file)),
    }));
  });
