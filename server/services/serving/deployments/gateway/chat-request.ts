import { z } from "zod";
import { type FieldError, ServiceError } from "@/server/platform/errors";
import { parseJsonWithTools } from "@/server/platform/json/exact-json";

const pointer = (path: readonly PropertyKey[]) => path.map((part) => `/${String(part)}`).join("");

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
export function readChatRequest(body: Uint8Array): ChatRequest {
  let given: unknown;
  try {
    given = parseJsonWithTools(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch {
    throw new ServiceError("invalid", "The body is not valid JSON.");
  }
  const parsed = chatRequest.safeParse(given);
  if (parsed.success) return parsed.data;
  const errors: FieldError[] = parsed.error.issues.map(({ path, message }) => ({ path: pointer(path), message }));
  const [first] = errors;
  throw new ServiceError("invalid", `${first?.path.slice(1) || "The body"}: ${first?.message}`, { errors });
}
