import type { Attributes } from "../types";
import { firstOf, jsonText, type Reader, text, textInJson } from "./reader";

/** The model that was asked for. */
export const REQUESTED_MODEL: readonly Reader<string>[] = [
  text("gen_ai.request.model"), // OpenTelemetry GenAI
  text("llm.request.model_name"), // OpenInference
  textInJson("llm.invocation_parameters", "model", "model_name"),
  textInJson("embedding.invocation_parameters", "model"),
  text("ai.model.id"), // Vercel AI SDK
  jsonText("langfuse.observation.metadata.ls_model_name"), // LangChain through Langfuse
  text("genkit:name"),
  text("model"), // Claude Code
  textInJson("gcp.vertex.agent.llm_request", "model"),
];

/** The model that answered. */
export const RESPONSE_MODEL: readonly Reader<string>[] = [
  text("gen_ai.response.model"),
  text("llm.response.model_name"),
  text("ai.response.model"),
  textInJson("gcp.vertex.agent.llm_response", "model_version", "modelVersion"),
];

/** The model that answered, or when none did the one that was asked for. */
export const RESPONSE_OR_REQUESTED_MODEL: readonly Reader<string>[] = [text("langfuse.observation.model.name")];

/** The model that was asked for, or when that is known from elsewhere the one that answered. */
export const REQUESTED_OR_RESPONSE_MODEL: readonly Reader<string>[] = [
  text("llm.model_name"), // OpenInference
  text("embedding.model_name"),
];

/** The provider's id of the response, by which two instrumentations of one call are joined. */
export const RESPONSE_ID: readonly Reader<string>[] = [
  text("gen_ai.response.id"),
  text("ai.response.id"),
  leadingId("output.value"), // OpenInference keeps the whole response as JSON
];

/** The `id` that opens JSON text, read without parsing what may be long. */
function leadingId(name: string): Reader<string> {
  return {
    takes: [name],
    read: (attributes) => {
      const value = attributes[name];
      return typeof value === "string"
        ? /^\{\s*"id"\s*:\s*"([^"\\]{1,200})"/.exec(value.slice(0, 300))?.[1]
        : undefined;
    },
  };
}

/** Both names of a call's model, each `null` when the client does not tell it. */
export function resolveModels(
  attributes: Attributes,
  failed: boolean,
): { requestedModel: string | null; responseModel: string | null } {
  const answeredOrAsked = firstOf(RESPONSE_OR_REQUESTED_MODEL, attributes);
  const askedOrAnswered = firstOf(REQUESTED_OR_RESPONSE_MODEL, attributes);
  const asked = firstOf(REQUESTED_MODEL, attributes) ?? (failed ? answeredOrAsked : undefined);
  const answered =
    firstOf(RESPONSE_MODEL, attributes) ??
    (failed ? undefined : (answeredOrAsked ?? (asked === undefined ? undefined : askedOrAnswered)));
  return { requestedModel: plainName(asked ?? askedOrAnswered), responseModel: plainName(answered) };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escape codes begin with one
const TERMINAL_ESCAPES = /\u001b\[[0-9;]*[A-Za-z]/g;

/** A model's name without the terminal colours that a command-line client leaves in it. */
function plainName(name: string | undefined): string | null {
  return name === undefined ? null : name.replace(TERMINAL_ESCAPES, "").trim() || null;
}
