import { type Fields, fieldsOf, listOf, textOf } from "./fields";
import type { Answer } from "./fold-answer";

/** Telemetry attributes by name; those without a value are left out. */
export type Pairs = readonly (readonly [name: string, value: unknown])[];

/** What an address of the OpenAI API asks and answers. */
export type Dialect = {
  /** As telemetry names it. */
  operation: "chat" | "embeddings" | "responses";
  /** Below a base URL. */
  path: string;
  /** The media types of answers that are asked for. */
  accept: (isStreamed: boolean) => string;
  /** The request's own fields that are replaced in a streamed call, so that it tells the token counts. */
  usageFields: (request: Fields) => Readonly<Record<string, unknown>>;
  /** The request's own fields that limit the tokens of an answer, the one that counts first; none if it has no tokens. */
  limits: readonly string[];
  /** Returns the field that limits an answer to so many tokens, as the provider calls it. */
  limit: (tokens: number, provider: string | null) => Fields;
  /** Whether only the model that answered before, or always the same one, can answer. */
  isPinned: (request: Fields) => boolean;
  /** Returns what is recorded of a request. */
  asked: (request: Fields) => Pairs;
  /** Reads as much of a whole answer as is recorded. Throws if it is not JSON. */
  read: (body: Buffer) => unknown;
  /** Adds a whole answer, or an event of a streamed one. */
  fold: (answer: Answer, json: unknown) => void;
  /** Whether this event is the last of an answer, which it may end with an error. */
  endOf: (data: string, json: unknown) => { error: string | null } | null;
  /** Whether an event comes before anything that a model says. */
  isPreamble: (json: unknown) => boolean;
  /** Whether an event says nothing but the token counts. */
  isUsageOnly: (json: unknown) => boolean;
  /** Returns the event that tells a client why an answer ended early. */
  errorEvent: (message: string) => string;
};

/** Returns the error that an event reports. */
export function errorIn(json: unknown): string | null {
  const { error } = fieldsOf(json);
  if (!error) return null;
  return textOf(fieldsOf(error).message) ?? textOf(error) ?? "The answer ended early.";
}

/** OpenAI's error object for an answer that ended early. */
export const endedEarly = (message: string) => ({ message, type: "server_error", param: null, code: "unavailable" });

/** Returns to how many tokens a request itself limits its answer, if it does. */
export const limitIn = ({ limits }: Dialect, request: Fields): number | null => {
  const limit = limits.map((name) => request[name]).find((one) => typeof one === "number");
  return typeof limit === "number" ? limit : null;
};

/** The request's parameters under the names of OpenTelemetry. */
const PARAMETERS = {
  temperature: "gen_ai.request.temperature",
  top_p: "gen_ai.request.top_p",
  max_tokens: "gen_ai.request.max_tokens",
  max_completion_tokens: "gen_ai.request.max_tokens",
  max_output_tokens: "gen_ai.request.max_tokens",
  seed: "gen_ai.request.seed",
  presence_penalty: "gen_ai.request.presence_penalty",
  frequency_penalty: "gen_ai.request.frequency_penalty",
  service_tier: "openai.request.service_tier",
} as const;

/** Returns the application's user for whom a call is made, if it says so. */
export const userOf = ({ user, safety_identifier: identifier, metadata }: Fields): string | null =>
  textOf(user) ?? textOf(identifier) ?? textOf(fieldsOf(metadata).user_id);

/** Returns what is recorded of every kind of request. */
export function parametersOf(request: Fields): Pairs {
  const tools = listOf(request.tools);
  return [
    ["user.id", userOf(request)],
    ["gen_ai.tool.definitions", tools.length > 0 ? JSON.stringify(tools) : null],
    ...Object.entries(PARAMETERS).map(([name, attribute]) => [attribute, request[name]] as const),
  ];
}
