import { z } from "zod";
import { version } from "@/package.json";
import { sessionCookieName } from "@/server/auth/session-cookie";
import { factsOf, isProjectQualified, type Operation } from "../operation";
import { describeOperation } from "./describe-operation";
import type { OpenApiDocument } from "./document";
import { problemResponses, problemSchema } from "./problems";

export type { DescribedOperation, JsonSchema, OpenApiDocument } from "./document";

const ABOUT = [
  "JSON in camelCase. Times are Unix milliseconds, money is US dollars, and what is not known is `null`.",
  "Unknown fields of a body are refused by name; unknown query parameters are ignored.",
  "Lists are newest first; `nextCursor` leads to the next page and is `null` on the last one.",
  "Errors are `application/problem+json`, and every answer carries `X-Request-Id`.",
  "A POST may carry an `Idempotency-Key`: sent again within 24 hours it is answered, not repeated. OTLP needs none, because a span that is there already is left as it is.",
  "Requests are limited by key and by project, telemetry by its bytes. `RateLimit` and `RateLimit-Policy` tell what is left, `Retry-After` on a 429 when to come back.",
].join("\n\n");

const nameOf = (operation: Operation) => factsOf(operation).name;
const templated = (path: string) => path.replace(/:(\w+)/g, "{$1}");

/** One verb may have two addresses, with the project in the path and without; an operation id is for one of them. */
function idsOf(operations: readonly Operation[]) {
  const names = operations.map(nameOf);
  return (operation: Operation) => {
    const name = nameOf(operation);
    const isShared = names.indexOf(name) !== names.lastIndexOf(name);
    return isShared && isProjectQualified(operation.path) ? `${name}InProject` : name;
  };
}

/** The document of a table of operations, made from the schemas that check what comes in and goes out. */
export function openApiOf(operations: readonly Operation[]): OpenApiDocument {
  const idOf = idsOf(operations);
  const document: OpenApiDocument = {
    openapi: "3.1.0",
    info: { title: "Whetstone", version, description: ABOUT, license: { name: "MIT", identifier: "MIT" } },
    servers: [{ url: "/v1", description: "This installation" }],
    tags: [...new Set(operations.map(({ subject }) => subject))].map((name) => ({ name })),
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
          description: "A signed-in member of the project. Changes are taken from the workbench's own pages only.",
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
