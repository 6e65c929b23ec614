import { z } from "zod";
import { checked, readJsonBody } from "../calls/read-request";

/** The fields of a request that the gateway itself reads; the others go to the model's server unchanged. */
const chatRequest = z.looseObject({
  messages: z.array(z.looseObject({ role: z.string().min(1).max(40) })).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  /** Several answers to one question would be several conversations. */
  n: z.literal(1).nullish(),
  user: z.string().nullish(),
  metadata: z.record(z.string(), z.unknown()).nullish(),
  tools: z.array(z.unknown()).nullish(),
});
export type ChatRequest = z.output<typeof chatRequest>;

/** Parses the request in a body. Throws `invalid` for anything else. */
export const readChatRequest = (body: Uint8Array): ChatRequest => chatRequestOf(readJsonBody(body));

/** Returns a request that a deployment can answer. Throws `invalid` for any other. */
export const chatRequestOf = (given: unknown): ChatRequest => checked(chatRequest, given);
