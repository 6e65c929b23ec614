import { z } from "zod";
import { version } from "@/package.json";
import { sessionCookieName } from "@/server/auth/session-cookie";
import { factsOf, isProjectQualified, type Operation } from "../operation";
import { describeOperation } from "./describe-operation";
import type { OpenApiDocument } from "./document";
import { problemResponses, problemSchema } from "./problems";

export type { DescribedOperation, JsonSchema, OpenApiDocument } from "./document";

const ABOUT = [
  "JSON in camelCase. Times are Unix milliseconds, money is US dollars, and unknown values are `null`.",
  "Unknown body fields are rejected, and the error names them; unknown query parameters are ignored.",
  "Lists are newest first; `nextCursor` gives the next page and is `null` on the last one.",
  "Errors are `application/problem+json`, and every response carries `X-Request-Id`.",
  "A POST may carry an `Idempotency-Key`: a retry within 24 hours gets the first response and has no effect. OTLP needs none, because spans that are already stored are left unchanged.",
  "Rate limits apply per key and per project; telemetry is limited by bytes. `RateLimit` and `RateLimit-Policy` report what is left, and `Retry-After` on a 429 is the number of seconds to wait.",
].join("\n\n");

const nameOf = (operation: Operation) => factsOf(operation).name;
const templated = (path: string) => path.replace(/:(\w+)/g, "{$1}");

/** A verb may have two routes: with and without the project in the path, or a shorter one; operation ids must be unique. */
function idsOf(operations: readonly Operation[]) {
  const names = operations.map(nameOf);
  return (operation: Operation) => {
    const name = nameOf(operation);
    if (names.indexOf(name) === names.lastIndexOf(name)) return name;
    if (isProjectQualified(operation.path)) return `${name}InProject`;
    return operations[names.indexOf(name)] === operation ? name : `${name}AtBase`;
  };
}

/** Returns the OpenAPI document of a table of operations, from the schemas that validate inputs and replies. */
export function openApiOf(operations: readonly Operation[]): OpenApiDocument {
  const idOf = idsOf(operations);
  const document: OpenApiDocument = {
    openapi: "3.1.0",
    info: { title: "Whetstone", version, description: ABOUT, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: "/v1", description: "This installation" }],
    tags: [...new Set(operations.map(({ heading }) => heading))].map((name) => ({ name })),
    paths: {},
    components: {
      schemas: { Problem: problemSchema },
      responses: problemResponses,
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "An API key of the project: `whet_…`." },
        session: {
          type: "apiKey",
          in: "cookie",
          name: sessionCookieName(),
          description: "A signed-in member of the project. Changes are accepted from the workbench's own pages only.",
        },
      },
    },
  };
  for (const operation of operations) {
    const path = templated(operation.path);
    document.paths[path] ??= {};
    document.paths[path][operation.method.toLowerCase()] = describeOperation(
      operation,
      idOf(operation),
      document.components.schemas,
    );
  }
  return document;
}

/** For the reference's own line about itself. */
export const openApiReply = z.looseObject({ openapi: z.literal("3.1.0") });
