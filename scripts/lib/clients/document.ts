import { type DescribedOperation, type JsonSchema, type OpenApiDocument, openApiOf } from "@/server/rest/openapi";
import { OPERATIONS } from "@/server/rest/operations";
import { createNaming, pascal } from "./named-schemas";

/**
 * Second addresses of an operation; what trackers and exporters call; and the OpenAI interface, for which OpenAI's own packages are
 * the clients.
 */
const LEFT_OUT =
  /InProject$|AtBase$|^trackerDeliveries\.receive$|^otlp\.|^gateway\.|^deployments\.(completeChat|models)$/;

/** Keywords that validate: the server does that. In generated types they would only be comments. */
const VALIDATES =
  /^(min|max)(Length|Items|Properties|imum)$|^exclusive(Min|Max)imum$|^(pattern|format|default|examples?|propertyNames)$/;

/** Returns a schema without what only validates. Names of properties are no keywords. */
function plain(schema: unknown, isKeyword = true): unknown {
  if (Array.isArray(schema)) return schema.map((one) => plain(one));
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([name]) => !isKeyword || !VALIDATES.test(name))
      .map(([name, value]) => [name, plain(value, !isKeyword || name !== "properties")]),
  );
}

type Extension = { style: "cursor"; cursorParam: string; nextCursor: string; items: string };

/** Returns where a page of a list has its items and the cursor of the next page; `undefined` for what is no list. */
function paginationOf({ operationId, parameters }: DescribedOperation, reply: JsonSchema): Extension | undefined {
  const properties = (reply.properties ?? {}) as Record<string, JsonSchema>;
  const nextCursor = ["pagination/nextCursor", "nextCursor"].find((path) => path.split("/", 1)[0]! in properties);
  const lists = Object.keys(properties).filter((name) => properties[name]?.type === "array");
  // A page may have other lists beside what it pages: those of `prompts.versions` are its versions.
  const items = lists.find((name) => operationId.endsWith(`.${name}`)) ?? lists[0];
  if (!nextCursor || !items || !parameters.some(({ name }) => name === "cursor")) return undefined;
  return { style: "cursor", cursorParam: "cursor", nextCursor: `/${nextCursor}`, items: `/${items}` };
}

/** What is read as a value; every other reply is a file, whose bytes a client returns as they are. */
const READ = new Set(["application/json", "text/event-stream"]);
const FILE = { "application/octet-stream": { schema: { type: "string", format: "binary" } } };

/** Whether the reply of one of this document's operations is a file. */
export const isDownload = ({ responses }: { responses: Record<string, { content: object }> }) =>
  Object.values(responses).some(({ content }) => "application/octet-stream" in content);

type Naming = ReturnType<typeof createNaming>;

function forClients(operation: DescribedOperation, named: Naming) {
  const { operationId, summary, parameters, requestBody, responses, security, tags } = operation;
  const [status, success] = Object.entries(responses).find(([one]) => one.startsWith("2")) ?? [];
  const content = Object.entries((success && "content" in success && success.content) || {});
  const reply = content.find(([type]) => type === "application/json")?.[1].schema;
  const pagination = reply && paginationOf(operation, reply);
  const [subject = ""] = operationId.split(".", 1);
  const contentOf = (entries: typeof content, suffix: string) =>
    Object.fromEntries(
      entries.map(([type, { schema: whole }]) => {
        const schema = named(subject, plain(whole), `${pascal(operationId)}${suffix}`);
        return [type === "*/*" ? "application/octet-stream" : type, { schema }];
      }),
    );
  // A body that can only be empty need not be sent.
  const takesBody = Object.values(requestBody?.content ?? {}).some(
    ({ schema: { type, properties } }) => type !== "object" || Object.keys(properties ?? {}).length > 0,
  );
  const replies = content.every(([type]) => READ.has(type)) ? contentOf(content, "Reply") : FILE;
  return {
    operationId: operationId.replace(".", "_"),
    ...{ tags, summary },
    parameters: parameters.map(({ example: _, schema, ...rest }) => ({ ...rest, schema: plain(schema) })),
    ...(takesBody && {
      requestBody: { ...requestBody, content: contentOf(Object.entries(requestBody?.content ?? {}), "Input") },
    }),
    responses: { [status ?? 200]: { description: "Done.", content: replies } },
    security: security.filter((one) => "apiKey" in one),
    ...(pagination && { "x-redoclyPagination": pagination }),
  };
}

/** Returns the document that `/v1/openapi.json` serves, as a generator of clients needs it. */
export function clientDocument() {
  const { openapi, info, servers, tags, paths, components }: OpenApiDocument = openApiOf(OPERATIONS);
  const schemas: Record<string, JsonSchema> = Object.fromEntries(
    Object.entries(components.schemas).map(([name, one]) => [name, plain(one) as JsonSchema]),
  );
  const named = createNaming(schemas);
  const kept = Object.entries(paths).flatMap(([path, methods]) => {
    const operations = Object.entries(methods).filter(([, { operationId }]) => !LEFT_OUT.test(operationId));
    if (operations.length === 0) return [];
    return [[path, Object.fromEntries(operations.map(([method, one]) => [method, forClients(one, named)]))]];
  });
  return {
    ...{ openapi, info, servers, tags },
    paths: Object.fromEntries(kept) as Record<string, Record<string, ReturnType<typeof forClients>>>,
    components: { schemas, securitySchemes: { apiKey: components.securitySchemes.apiKey } },
  };
}
