import { GOOGLE_ADK } from "../conventions/google-adk";
import { OPENINFERENCE } from "../conventions/openinference";
import type { Attributes } from "../types";
import { sourcesOf } from "./precedence";
import { firstOf } from "./reader";

/** The requested model. Google's is read out of the whole request. */
export const REQUESTED_MODEL = sourcesOf("requestedModel", { last: [GOOGLE_ADK] });

/** The model that responded. */
export const RESPONSE_MODEL = sourcesOf("responseModel");

/** The model that responded, or the requested one if the call failed. */
export const RESPONSE_OR_REQUESTED_MODEL = sourcesOf("responseOrRequestedModel");

/** The requested model, or the one that responded if the requested one is known from another attribute. */
export const REQUESTED_OR_RESPONSE_MODEL = sourcesOf("requestedOrResponseModel");

/** The provider's id of the response, by which two instrumentations of one call are joined. OpenInference's is in the output. */
export const RESPONSE_ID = sourcesOf("responseId", { last: [OPENINFERENCE] });

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
