import type { Where } from "./set-up";

/** Variables that every OpenTelemetry SDK reads. */
export const env = ({
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

/** Variables of Claude Code, which sends its spans on request, and what was said in them on another. */
export const claudeCode = ({
  endpoint,
  key,
}: Where) => `# In the shell in which you then start claude, or as "env" in ~/.claude/settings.json
export CLAUDE_CODE_ENABLE_TELEMETRY="1"
export CLAUDE_CODE_ENHANCED_TELEMETRY_BETA="1"
export OTEL_TRACES_EXPORTER="otlp"
export OTEL_LOGS_EXPORTER="otlp"
export OTEL_METRICS_EXPORTER="none"
export OTEL_EXPORTER_OTLP_ENDPOINT="${endpoint}"
export OTEL_EXPORTER_OTLP_PROTOCOL="http/protobuf"
export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer ${key}"

# What you ask and what tools do is left out by default; this lets it in.
export OTEL_LOG_USER_PROMPTS="1"
export OTEL_LOG_TOOL_DETAILS="1"
export OTEL_LOG_TOOL_CONTENT="1"`;
