/** The subset of an OpenAPI 3.1 document that we produce. */
export type JsonSchema = { [keyword: string]: unknown };

export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required: boolean;
  description?: string;
  schema: JsonSchema;
  example?: unknown;
};

export type MediaType = { schema: JsonSchema; example?: unknown };
export type Reference = { $ref: string };
export type Reply = {
  description: string;
  headers?: Record<string, { description: string; schema: JsonSchema }>;
  content?: Record<string, MediaType>;
};

export type DescribedOperation = {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  deprecated?: true;
  parameters: Parameter[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, Reply | Reference>;
  security: Record<string, string[]>[];
  /** Any one of these suffices. */
  "x-capability"?: string[];
  /** Needed besides one of those. */
  "x-capability-besides"?: string;
};

export type OpenApiDocument = {
  openapi: "3.1.0";
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string; description: string }[];
  tags: { name: string }[];
  paths: Record<string, Record<string, DescribedOperation>>;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: Record<string, Reply>;
    securitySchemes: Record<string, JsonSchema>;
  };
};
