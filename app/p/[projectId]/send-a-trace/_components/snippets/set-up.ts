/** Where a program sends its telemetry. */
export type Where = { endpoint: string; key: string };

export const PYTHON_PACKAGES = "opentelemetry-sdk opentelemetry-exporter-otlp-proto-http";
export const PYTHON_IMPORTS = `from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor`;

export const pythonExporter = ({
  endpoint,
  key,
}: Where) => `provider = TracerProvider(resource=Resource.create({"service.name": "my-app"}))
exporter = OTLPSpanExporter(
    endpoint="${endpoint}/v1/traces",
    headers={"Authorization": "Bearer ${key}"},
)
provider.add_span_processor(BatchSpanProcessor(exporter))`;

export const PYTHON_END = "provider.shutdown()  # sends what is left";

export const JAVASCRIPT_PACKAGES =
  "@opentelemetry/api @opentelemetry/sdk-node @opentelemetry/exporter-trace-otlp-proto";
export const JAVASCRIPT_IMPORTS = `import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { NodeSDK } from "@opentelemetry/sdk-node";`;

/** `instrumentations`: the expression of a list, where there is one. */
export const javascriptExporter = ({ endpoint, key }: Where, instrumentations?: string) => `const sdk = new NodeSDK({
  serviceName: "my-app",
  metricReaders: [], // metrics are not stored here
  traceExporter: new OTLPTraceExporter({
    url: "${endpoint}/v1/traces",
    headers: { Authorization: "Bearer ${key}" },
  }),${instrumentations === undefined ? "" : `\n  instrumentations: ${instrumentations},`}
});
sdk.start();`;

export const JAVASCRIPT_END = "await sdk.shutdown(); // sends what is left";
