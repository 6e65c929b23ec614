import type { ErrorCode } from "@/server/platform/errors";
import { PROBLEMS } from "../http/problem";
import type { JsonSchema, Reference, Reply } from "./document";

export const problemSchema: JsonSchema = {
  type: "object",
  description: "An error as RFC 9457 tells it.",
  required: ["type", "title", "status", "detail", "instance", "code", "requestId"],
  properties: {
    type: { type: "string", format: "uri-reference", description: "Where this kind of problem is described." },
    title: { type: "string", description: "The kind of problem in words." },
    status: { type: "integer", description: "The HTTP status again." },
    detail: { type: "string", description: "What went wrong this time." },
    instance: { type: "string", description: "The path that was asked." },
    code: {
      type: "string",
      enum: [...Object.keys(PROBLEMS), "internal"],
      description: "The kind of problem for programs.",
    },
    requestId: { type: "string", description: "By which the request is found in the server's log." },
    errors: {
      type: "array",
      description: "Every problem of the input.",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: {
          path: { type: "string", format: "json-pointer", description: "Into the input; empty for the whole." },
          message: { type: "string" },
        },
      },
    },
  },
};

const HEADERS: Partial<Record<ErrorCode, Reply["headers"]>> = {
  unauthenticated: { "WWW-Authenticate": { description: "Names the Bearer scheme.", schema: { type: "string" } } },
  method_not_allowed: { Allow: { description: "The methods of this address.", schema: { type: "string" } } },
  rate_limited: { "Retry-After": { description: "Seconds.", schema: { type: "integer" } } },
  unavailable: { "Retry-After": { description: "Seconds.", schema: { type: "integer" } } },
};

const content = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };

/** One shared response for each kind of problem. */
export const problemResponses: Record<string, Reply> = {
  ...Object.fromEntries(
    Object.entries(PROBLEMS).map(([code, { title }]): [string, Reply] => {
      const headers = HEADERS[code as ErrorCode];
      return [code, { description: `${title}.`, ...(headers ? { headers } : {}), content }];
    }),
  ),
  internal: { description: "Something went wrong on our side.", content },
  other: {
    description: "Any other problem, of the request itself: headers that are too large, no HTTP at all.",
    content,
  },
};

/** Under its status, or `default` for what may come whatever was asked. */
const KEY_OF = { internal: "500", other: "default" };

export const problemRefs = (codes: readonly (ErrorCode | keyof typeof KEY_OF)[]): Record<string, Reference> =>
  Object.fromEntries(
    codes.map((code) => [
      code in KEY_OF ? KEY_OF[code as keyof typeof KEY_OF] : String(PROBLEMS[code as ErrorCode].status),
      { $ref: `#/components/responses/${code}` },
    ]),
  );
