import type { Attributes } from "../types";
import { firstOf, jsonText, type Reader, text, textInJson } from "./reader";

/** The requested model. */
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

/** The model that responded. */
export const RESPONSE_MODEL: readonly Reader<string>[] = [
  text("gen_ai.response.model"),
  text("llm.response.model_name"),
  text("ai.response.model"),
  textInJson("gcp.vertex.agent.llm_response", "model_version", "modelVersion"),
];

/** The model that responded, or the requested one if the call failed. */
export const RESPONSE_OR_REQUESTED_MODEL: readonly Reader<string>[] = [text("langfuse.observation.model.name")];

/** The requested model, or the one that responded if the requested one is known from another attribute. */
export const REQUESTED_OR_RESPONSE_MODEL: readonly Reader<string>[] = [
  text("llm.model_name"), // OpenInference
  text("embedding.model_name"),
];

/** The provider's id of the response, by which two instrumentations of one call are joined. */
export const RESPONSE_ID: readonly Reader<string>[] = [
  text("gen_ai.response.id"),
  text("ai.response.id"),
  leadingId("output.value"), // OpenInference sends the whole response as JSON
];

/** Reads an `id` at the start of JSON text without parsing it, as it may be long. */
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

/** Returns both names of a call's model, each `null` if the client does not report it. */
export function resolveModels(
  attributes: Attributes,
  failed: boolean,
): { requestedModel: string | null; responseModel: string | null } {
  const responseOrRequested = firstOf(RESPONSE_OR_REQUESTED_MODEL, attributes);
  const requestedOrResponse = firstOf(REQUESTED_OR_RESPONSE_MODEL, attributes);
  const requested = firstOf(REQUESTED_MODEL, attributes) ?? (failed ? responseOrRequested : undefined);
  const responded =
    firstOf(RESPONSE_MODEL, attributes) ??
    (failed ? undefined : (responseOrRequested ?? (requested === undefined ? undefined : requestedOrResponse)));
  return { requestedModel: plainName(requested ?? requestedOrResponse), responseModel: plainName(responded) };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: terminal escape codes begin with one
const TERMINAL_ESCAPES = /\u001b\[[0-9;]*[A-Za-z]/g;

/** Strips the terminal colours that a command-line client leaves in a model's name. */
function plainName(name: string | undefined): string | null {
  return name === undefined ? null : name.replace(TERMINAL_ESCAPES, "").trim() || null;
}
