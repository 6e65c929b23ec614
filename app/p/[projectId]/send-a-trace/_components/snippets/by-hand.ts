import {
  JAVASCRIPT_END,
  JAVASCRIPT_IMPORTS,
  JAVASCRIPT_PACKAGES,
  javascriptExporter,
  PYTHON_END,
  PYTHON_IMPORTS,
  PYTHON_PACKAGES,
  pythonExporter,
  type Where,
} from "./set-up";

/** Programs that write the span of a call by hand: they need no model, and no client of one. */

export const typescript = (where: Where) => `\
// npm install ${JAVASCRIPT_PACKAGES}
// Save as first-trace.mjs, then: node first-trace.mjs
import { trace } from "@opentelemetry/api";
${JAVASCRIPT_IMPORTS}

${javascriptExporter(where)}

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

${JAVASCRIPT_END}`;

export const python = (where: Where) => `\
# pip install ${PYTHON_PACKAGES}
import json

from opentelemetry import trace
${PYTHON_IMPORTS}

${pythonExporter(where)}
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

${PYTHON_END}`;

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

export const curl = ({
  endpoint,
  key,
}: Where) => `TRACE=$(openssl rand -hex 16) SPAN=$(openssl rand -hex 8) NOW=$(date +%s)
sed "s/TRACE/$TRACE/; s/SPAN/$SPAN/; s/START/\${NOW}000000000/; s/END/\${NOW}900000000/" <<'JSON' |
${JSON.stringify(curlBody(), null, 1)
  .replace(/\n\s+/g, " ")
  .replace(/ (\{ "key")/g, "\n  $1")}
JSON
curl -sS "${endpoint}/v1/traces" \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  --data-binary @-`;
