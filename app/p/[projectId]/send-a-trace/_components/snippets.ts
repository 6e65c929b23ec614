export const LANGUAGES = [
  { value: "typescript", label: "TypeScript" },
  { value: "python", label: "Python" },
  { value: "curl", label: "curl" },
  { value: "env", label: "OTel variables" },
] as const;
export type Language = (typeof LANGUAGES)[number]["value"];

export const NO_KEY = "YOUR_API_KEY";
type Where = { endpoint: string; key: string };

const typescript = ({
  endpoint,
  key,
}: Where) => `// npm install @opentelemetry/api @opentelemetry/sdk-node @opentelemetry/exporter-trace-otlp-proto
// Save as first-trace.mjs, then: node first-trace.mjs
import { trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK } from "@opentelemetry/sdk-node";

const sdk = new NodeSDK({
  serviceName: "my-app",
  traceExporter: new OTLPTraceExporter({
    url: "${endpoint}/v1/traces",
    headers: { Authorization: "Bearer ${key}" },
  }),
});
sdk.start();

// One model call, named as OpenTelemetry's GenAI conventions name it.
// An instrumentation of your model client writes these attributes for you.
trace.getTracer("my-app").startActiveSpan("chat gpt-4o-mini", (span) => {
  span.setAttributes({
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": "openai",
    "gen_ai.request.model": "gpt-4o-mini",
    "gen_ai.response.model": "gpt-4o-mini",
    "gen_ai.conversation.id": "first-conversation",
    "gen_ai.usage.input_tokens": 24,
    "gen_ai.usage.output_tokens": 12,
    "gen_ai.input.messages": JSON.stringify([
      { role: "user", parts: [{ type: "text", content: "Where is my order 1042?" }] },
    ]),
    "gen_ai.output.messages": JSON.stringify([
      { role: "assistant", parts: [{ type: "text", content: "It arrives tomorrow." }], finish_reason: "stop" },
    ]),
  });
  span.end();
});

await sdk.shutdown(); // sends what is left`;

const python = ({ endpoint, key }: Where) => `# pip install opentelemetry-sdk opentelemetry-exporter-otlp-proto-http
import json

from opentelemetry import trace
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor

provider = TracerProvider(resource=Resource.create({"service.name": "my-app"}))
provider.add_span_processor(
    BatchSpanProcessor(
        OTLPSpanExporter(
            endpoint="${endpoint}/v1/traces",
            headers={"Authorization": "Bearer ${key}"},
        )
    )
)
trace.set_tracer_provider(provider)

# One model call, named as OpenTelemetry's GenAI conventions name it.
# An instrumentation of your model client writes these attributes for you.
with trace.get_tracer("my-app").start_as_current_span("chat gpt-4o-mini") as span:
    span.set_attributes({
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-4o-mini",
        "gen_ai.response.model": "gpt-4o-mini",
        "gen_ai.conversation.id": "first-conversation",
        "gen_ai.usage.input_tokens": 24,
        "gen_ai.usage.output_tokens": 12,
        "gen_ai.input.messages": json.dumps([
            {"role": "user", "parts": [{"type": "text", "content": "Where is my order 1042?"}]},
        ]),
        "gen_ai.output.messages": json.dumps([
            {"role": "assistant", "parts": [{"type": "text", "content": "It arrives tomorrow."}], "finish_reason": "stop"},
        ]),
    })

provider.shutdown()  # sends what is left`;

const attribute = (key: string, value: string | number) => ({
  key,
  value: typeof value === "number" ? { intValue: value } : { stringValue: value },
});

/** The body of the curl form. TRACE, SPAN, START and END are filled in by the shell. */
export const curlBody = () => ({
  resourceSpans: [
    {
      resource: { attributes: [attribute("service.name", "my-app")] },
      scopeSpans: [
        {
          scope: { name: "my-app" },
          spans: [
            {
              traceId: "TRACE",
              spanId: "SPAN",
              name: "chat gpt-4o-mini",
              kind: 3,
              startTimeUnixNano: "START",
              endTimeUnixNano: "END",
              attributes: [
                attribute("gen_ai.operation.name", "chat"),
                attribute("gen_ai.provider.name", "openai"),
                attribute("gen_ai.request.model", "gpt-4o-mini"),
                attribute("gen_ai.response.model", "gpt-4o-mini"),
                attribute("gen_ai.conversation.id", "first-conversation"),
                attribute("gen_ai.usage.input_tokens", 24),
                attribute("gen_ai.usage.output_tokens", 12),
                attribute(
                  "gen_ai.input.messages",
                  JSON.stringify([{ role: "user", parts: [{ type: "text", content: "Where is my order 1042?" }] }]),
                ),
                attribute(
                  "gen_ai.output.messages",
                  JSON.stringify([
                    {
                      role: "assistant",
                      parts: [{ type: "text", content: "It arrives tomorrow." }],
                      finish_reason: "stop",
                    },
                  ]),
                ),
              ],
            },
          ],
        },
      ],
    },
  ],
});

const curl = ({ endpoint, key }: Where) => `TRACE=$(openssl rand -hex 16) SPAN=$(openssl rand -hex 8) NOW=$(date +%s)
sed "s/TRACE/$TRACE/; s/SPAN/$SPAN/; s/START/\${NOW}000000000/; s/END/\${NOW}900000000/" <<'JSON' |
${JSON.stringify(curlBody(), null, 1)
  .replace(/\n\s+/g, " ")
  .replace(/ (\{ "key")/g, "\n  $1")}
JSON
curl -sS "${endpoint}/v1/traces" \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  --data-binary @-`;

const env = ({
  endpoint,
  key,
}: Where) => `# For any program with an OpenTelemetry SDK and an instrumentation of its model client.
# Over gRPC: protocol "grpc" and endpoint "http://${new URL(endpoint).hostname}:4317", or the port that OTLP_GRPC_PORT names there.
export OTEL_EXPORTER_OTLP_ENDPOINT="${endpoint}"
export OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf"
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20${key}"
export OTEL_SERVICE_NAME="my-app"

# Prompts and answers are left out by default in several instrumentations; this lets them in.
export OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT="true"`;

const WRITE: Record<Language, (where: Where) => string> = { typescript, python, curl, env };

/** Returns a program that sends one conversation, ready to run. */
export const snippet = (language: Language, where: Where) => WRITE[language](where);
