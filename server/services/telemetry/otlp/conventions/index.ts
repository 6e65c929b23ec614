import type { Convention } from "../convention";
import { ANTHROPIC_SDK, CLAUDE_CODE } from "./anthropic";
import { BRAINTRUST } from "./braintrust";
import { CODEX } from "./codex";
import { GENERIC } from "./generic";
import { GENKIT } from "./genkit";
import { GOOGLE_ADK } from "./google-adk";
import { LAMINAR } from "./laminar";
import { LANGCHAIN } from "./langchain";
import { LANGFUSE } from "./langfuse";
import { LANGSMITH } from "./langsmith";
import { LANGWATCH } from "./langwatch";
import { LITELLM } from "./litellm";
import { LIVEKIT } from "./livekit";
import { MLFLOW } from "./mlflow";
import { OPENINFERENCE } from "./openinference";
import { OPENLIT } from "./openlit";
import { OPENLLMETRY } from "./openllmetry";
import { OPENTELEMETRY, OPENTELEMETRY_EVENTS } from "./opentelemetry";
import { PYDANTIC } from "./pydantic";
import { SEMANTIC_KERNEL } from "./semantic-kernel";
import { SENTRY } from "./sentry";
import { STRANDS } from "./strands";
import { VERCEL_AI_SDK } from "./vercel-ai-sdk";
import { WEAVE } from "./weave";
import { WHETSTONE } from "./whetstone";

/** All conventions, the most trusted first unless the reader of a field says otherwise. */
export const CONVENTIONS: readonly Convention[] = [
  OPENTELEMETRY,
  OPENINFERENCE,
  VERCEL_AI_SDK,
  OPENTELEMETRY_EVENTS,
  OPENLIT,
  SENTRY,
  PYDANTIC,
  LIVEKIT,
  OPENLLMETRY,
  LANGFUSE,
  LITELLM,
  GOOGLE_ADK,
  LANGWATCH,
  LAMINAR,
  GENKIT,
  MLFLOW,
  CLAUDE_CODE,
  STRANDS,
  ANTHROPIC_SDK,
  LANGSMITH,
  WEAVE,
  BRAINTRUST,
  CODEX,
  SEMANTIC_KERNEL,
  LANGCHAIN,
  WHETSTONE,
  GENERIC,
];
