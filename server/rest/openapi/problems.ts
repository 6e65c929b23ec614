import type { ErrorCode } from "@/server/platform/errors";
import { PROBLEMS } from "../http/problem";
import type { JsonSchema, Reference, Reply } from "./document";

export const problemSchema: JsonSchema = {
  type: "object",
  description: "A problem per RFC 9457.",
  required: ["type", "title", "status", "detail", "instance", "code", "requestId"],
  properties: {
    type: { type: "string", format: "uri-reference", description: "Documentation of this kind of problem." },
    title: { type: "string", description: "The kind of problem, for people." },
    status: { type: "integer", description: "The HTTP status." },
    detail: { type: "string", description: "What went wrong in this request." },
    instance: { type: "string", description: "The requested path." },
    code: {
      type: "string",
      enum: [...Object.keys(PROBLEMS), "internal"],
      description: "The kind of problem, for programs.",
    },
    requestId: { type: "string", description: "Identifies the request in the server's log." },
    error: {
      type: "object",
      description: "The same problem in OpenAI's format, at the addresses of the OpenAI interface.",
      required: ["message", "type", "param", "code"],
      properties: {
        message: { type: "string" },
        type: { type: "string" },
        param: { type: ["string", "null"] },
        code: { type: "string" },
      },
    },
    errors: {
      type: "array",
      description: "Every problem with the input.",
      items: {
        type: "object",
        required: ["path", "message"],
        properties: {
          path: {
            type: "string",
            format: "json-pointer",
            description: "A pointer into the input; empty for the input as a whole.",
          },
          message: { type: "string" },
        },
      },
    },
  },
};

const HEADERS: Partial<Record<ErrorCode, Reply["headers"]>> = {
  unauthenticated: { "WWW-Authenticate": { description: "Names the Bearer scheme.", schema: { type: "string" } } },
  method_not_allowed: { Allow: { description: "The methods that this address accepts.", schema: { type: "string" } } },
  rate_limited: { "Retry-After": { description: "Seconds.", schema: { type: "integer" } } },
  unavailable: { "Retry-After": { description: "Seconds.", schema: { type: "integer" } } },
};

const content = { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } };

/** One shared response per kind of problem. */
export const problemResponses: Record<string, Reply> = {
  ...Object.fromEntries(
    Object.entries(PROBLEMS).map(([code, { title }]): [string, Reply] => {
      const headers = HEADERS[code as ErrorCode];
      return [code, { description: `${title}.`, ...(headers ? { headers } : {}), content }];
    }),
  ),
  internal: { description: "Something went wrong on our side.", content },
  other: {
    description: "Any other problem with the request itself, such as oversized headers or malformed HTTP.",
    content,
  },
};

/** Keys other than the problem's own status. `default` covers problems that any request may get. */
const KEY_OF = { internal: "500", other: "default" };

export const problemRefs = (codes: readonly (ErrorCode | keyof typeof KEY_OF)[]): Record<string, Reference> =>
  Object.fromEntries(
    codes.map((code) => [
      code in KEY_OF ? KEY_OF[code as keyof typeof KEY_OF] : String(PROBLEMS[code as ErrorCode].status),
      { $ref: `#/components/responses/${code}` },
    ]),
  );
