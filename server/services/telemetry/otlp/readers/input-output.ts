import { GENERIC } from "../conventions/generic";
import { GENKIT } from "../conventions/genkit";
import { GOOGLE_ADK } from "../conventions/google-adk";
import { LAMINAR } from "../conventions/laminar";
import { LANGFUSE } from "../conventions/langfuse";
import { LANGWATCH } from "../conventions/langwatch";
import { MLFLOW } from "../conventions/mlflow";
import { OPENINFERENCE } from "../conventions/openinference";
import { OPENLLMETRY } from "../conventions/openllmetry";
import { OPENTELEMETRY, OPENTELEMETRY_EVENTS } from "../conventions/opentelemetry";
import { PYDANTIC } from "../conventions/pydantic";
import { SENTRY } from "../conventions/sentry";
import { VERCEL_AI_SDK } from "../conventions/vercel-ai-sdk";
import { isEmpty, type PlainMessage } from "../messages/plain-message";
import type { MessageSource } from "./message-source";
import { sourcesOf } from "./precedence";
import type { SpanView } from "./span-view";

/** Names that several conventions share, before a client's own. */
const SHARED = [OPENTELEMETRY, OPENINFERENCE, OPENLLMETRY, OPENTELEMETRY_EVENTS];

/** Attributes and events that hold input messages by name. */
export const INPUT_MESSAGES = sourcesOf("inputMessages", {
  first: [...SHARED, SENTRY, VERCEL_AI_SDK, PYDANTIC, GOOGLE_ADK],
});

export const OUTPUT_MESSAGES = sourcesOf("outputMessages", {
  first: [...SHARED, VERCEL_AI_SDK, SENTRY, PYDANTIC, GOOGLE_ADK],
});

/** A name that says whose it is, before one that many use. */
const OWN_NAMES_FIRST = {
  first: [LANGFUSE, LANGWATCH, GENKIT, LAMINAR, MLFLOW, OPENLLMETRY],
  last: [OPENINFERENCE, GENERIC],
};

/** Generic inputs: messages for a model call, but any value for a wrapper. */
export const INPUTS = sourcesOf("inputs", OWN_NAMES_FIRST);

export const OUTPUTS = sourcesOf("outputs", OWN_NAMES_FIRST);

/** System prompts that are sent separately from the messages. */
export const SYSTEM_MESSAGES = sourcesOf("systemMessages");

/** Returns the messages of the first source that has any with content. */
export function firstMessages(sources: readonly MessageSource[], view: SpanView): PlainMessage[] {
  for (const source of sources) {
    const messages = source.read(view).filter((message) => !isEmpty(message));
    if (messages.length > 0) return messages;
  }
  return [];
}
