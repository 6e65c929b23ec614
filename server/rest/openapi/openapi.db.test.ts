import { expect, test, vi } from "vitest";
import { z } from "zod";
import { createDispatcher } from "../dispatcher";
import { OPERATIONS } from "../operations";
import { requestTo } from "../testing";
import { openApiOf } from ".";
import type { DescribedOperation, JsonSchema, OpenApiDocument, Reply } from "./document";
import { hoisted, jsonSchemaOf } from "./json-schema";

const document = openApiOf(OPERATIONS);
const described = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

function* everyObject(value: unknown): Generator<Record<string, unknown>> {
  if (typeof value !== "object" || value === null) return;
  if (!Array.isArray(value)) yield value as Record<string, unknown>;
  for (const inner of Object.values(value)) yield* everyObject(inner);
}
const at = (root: unknown, pointer: string) =>
  pointer
    .slice(2)
    .split("/")
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], root);
const resolved = (reply: DescribedOperation["responses"][string]): Reply =>
  "$ref" in reply ? (at(document, reply.$ref) as Reply) : reply;

function operationAt(path: string, method: string): DescribedOperation {
  const operation = document.paths[path]?.[method];
  if (!operation) throw new Error(`${method} ${path} is not in the document.`);
  return operation;
}

test("anyone may read the document, which is generated from the operations", async () => {
  const reply = await createDispatcher(OPERATIONS)(requestTo("GET", "/v1/openapi.json"));
  expect(reply.status).toBe(200);
  expect((await reply.json()) as OpenApiDocument).toEqual(JSON.parse(JSON.stringify(document)));
});

test("the document is computed once, and revalidated by ETag", async () => {
  const send = createDispatcher(OPERATIONS);
  const first = await send(requestTo("GET", "/v1/openapi.json"));
  const etag = first.headers.get("etag") as string;
  expect(etag).toMatch(/^"[\w-]{20,}"$/);
  expect(first.headers.get("cache-control")).toBe("public, no-cache");
  const stringify = vi.spyOn(JSON, "stringify");
  const again = await send(requestTo("GET", "/v1/openapi.json"));
  expect(await again.text()).toBe(await first.text());
  for (const held of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const reply = await send(requestTo("GET", "/v1/openapi.json", { headers: { "if-none-match": held } }));
    expect({ status: reply.status, body: await reply.text() }).toEqual({ status: 304, body: "" });
    expect(reply.headers.get("etag")).toBe(etag);
  }
  expect(stringify).not.toHaveBeenCalled();
  stringify.mockRestore();
  const other = await send(requestTo("GET", "/v1/openapi.json", { headers: { "if-none-match": '"other"' } }));
  expect(other.status).toBe(200);
});

test("the document has what OpenAPI 3.1 requires", () => {
  expect(document.openapi).toBe("3.1.0");
  expect(document.info).toMatchObject({ title: expect.any(String), version: expect.stringMatching(/^\d+\.\d+\.\d+/) });
  expect(Object.keys(document.paths).every((path) => path.startsWith("/"))).toBe(true);
  const templates = Object.keys(document.paths).map((path) => path.replaceAll(/\{\w+\}/g, "{}"));
  expect(new Set(templates).size).toBe(templates.length);
  expect(described).toHaveLength(OPERATIONS.length);
});

test("every body example is accepted by its operation", () => {
  for (const operation of OPERATIONS) {
    if (!("verb" in operation) || !["POST", "PUT", "PATCH"].includes(operation.method)) continue;
    const path = operation.path.replaceAll(/:(\w+)/g, "{$1}");
    const { parameters, requestBody } = operationAt(path, operation.method.toLowerCase());
    const { spec } = operation.verb;
    const known = Object.keys(jsonSchemaOf(spec.input, "input").properties ?? {});
    const inPath = parameters.filter(({ name }) => known.includes(name)).map(({ name, example }) => [name, example]);
    const { example } = (requestBody?.content["application/json"] ?? {}) as { example?: object };
    const parsed = spec.input.safeParse({ ...example, ...Object.fromEntries(inPath) });
    expect(parsed.error?.issues, path).toBeUndefined();
  }
});

test("no PATCH accepts a body that changes nothing", () => {
  const accepting = OPERATIONS.flatMap((operation) => {
    if (!("verb" in operation) || operation.method !== "PATCH") return [];
    const { parameters } = operationAt(operation.path.replaceAll(/:(\w+)/g, "{$1}"), "patch");
    const named = Object.fromEntries(parameters.map(({ name, example }) => [name, example]));
    const { spec } = operation.verb;
    const known = Object.keys(jsonSchemaOf(spec.input, "input").properties ?? {});
    const sent = Object.fromEntries(Object.entries(named).filter(([name]) => known.includes(name)));
    return spec.input.safeParse(sent).success ? [operation.path] : [];
  });
  expect(accepting).toEqual([]);
});

test("every operation has a description that says more than its summary, and every query parameter has one", () => {
  const bare = described.flatMap(({ path, method, operation }) => [
    ...(operation.description.trim() && !operation.summary.includes(operation.description)
      ? []
      : [`${method} ${path}`]),
    ...operation.parameters.flatMap((one) =>
      one.in === "query" && !one.description ? [`${method} ${path} ${one.name}`] : [],
    ),
  ]);
  expect(bare).toEqual([]);
});

test("ids in the examples of paths and bodies have the prefix of what they name", () => {
  const texts = described.flatMap(({ operation }) => [
    ...operation.parameters.flatMap(({ name, example }) => (/Id$/.test(name) ? [[name, example]] : [])),
    ...[...everyObject(operation.requestBody?.content["application/json"])].flatMap(({ example }) =>
      [...everyObject(example)].flatMap((one) => Object.entries(one).filter(([name]) => /[a-z]Id$/.test(name))),
    ),
  ]);
  const bare = texts.filter(([name, example]) => example === name);
  expect(texts.length).toBeGreaterThan(300);
  expect(bare).toEqual([]);
});

test("every reference resolves, and component names are legal", () => {
  const refs = [...everyObject(document)].flatMap((one) => (typeof one.$ref === "string" ? [one.$ref] : []));
  expect(refs.length).toBeGreaterThan(50);
  for (const ref of refs) expect(at(document, ref), ref).toBeDefined();
  for (const group of Object.values(document.components)) {
    for (const name of Object.keys(group)) expect(name).toMatch(/^[A-Za-z0-9._-]+$/);
  }
});

test("operation ids are unique and tags are declared", () => {
  const ids = described.map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const tags = new Set(document.tags.map(({ name }) => name));
  for (const { operation } of described) for (const tag of operation.tags) expect(tags).toContain(tag);
});

test.each(described)("$method $path has its parameters, credentials, responses and problems", ({ path, operation }) => {
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]);
  const parameters = operation.parameters.filter((one) => one.in === "path");
  expect(parameters.map(({ name }) => name)).toEqual(inPath);
  for (const { required } of parameters) expect(required).toBe(true);
  const keys = operation.parameters.map((one) => `${one.in} ${one.name}`);
  expect(new Set(keys).size).toBe(keys.length);

  for (const requirement of operation.security) {
    for (const scheme of Object.keys(requirement)) expect(document.components.securitySchemes).toHaveProperty(scheme);
  }
  if (operation.security.length) expect(operation["x-capability"]?.length).toBeGreaterThan(0);

  const codes = Object.keys(operation.responses);
  // An operation that this version does not implement has a 501 instead of a success.
  expect(codes.filter((code) => (code.startsWith("2") && code !== "206") || code === "501")).toHaveLength(1);
  if (operation.security.length) expect(codes).toEqual(expect.arrayContaining(["401", "403", "500"]));
  for (const [code, reply] of Object.entries(operation.responses)) {
    expect(resolved(reply).description.length).toBeGreaterThan(0);
    if (!code.startsWith("2") && code !== "304")
      expect(resolved(reply).content).toHaveProperty(["application/problem+json"]);
  }
});

test("the schemas use no keyword that only zod understands", () => {
  for (const one of everyObject(document)) {
    expect(Object.keys(one).filter((key) => key === "$defs" || key === "~standard" || key === "nullable")).toEqual([]);
  }
});

test("every response example matches its schema", () => {
  for (const operation of OPERATIONS) {
    if (!("verb" in operation)) continue;
    const path = operation.path.replace(/:(\w+)/g, "{$1}");
    const reply = document.paths[path]?.[operation.method.toLowerCase()]?.responses[
      String(operation.status ?? 200)
    ] as Reply;
    const example = reply.content?.["application/json"]?.example;
    const parsed = operation.verb.spec.reply.safeParse(example);
    expect(parsed.success, `${operation.path}: ${parsed.error && z.prettifyError(parsed.error)}`).toBe(true);
  }
});

test("a list documents its default limit, its bounds and its cursor", () => {
  const { parameters } = operationAt("/projects/{projectId}/conversations", "get");
  expect(parameters.find(({ name }) => name === "limit")).toMatchObject({
    in: "query",
    required: false,
    schema: { type: "integer", minimum: 1, maximum: 500, default: 50 },
  });
  expect(parameters.find(({ name }) => name === "cursor")?.description).toContain("nextCursor");
});

test("path parameters are not repeated in the body", () => {
  const { requestBody } = operationAt("/projects/{projectId}/diagnostics/findings/{findingId}", "patch");
  const schema = requestBody?.content["application/json"]?.schema as JsonSchema;
  const names = Object.keys(schema.properties as object);
  expect(names).toContain("reviewStatus");
  expect(names).not.toContain("findingId");
});

test("a recursive schema refers to the document's components", () => {
  const components: Record<string, JsonSchema> = {};
  const moved = hoisted(jsonSchemaOf(z.object({ any: z.json() }), "output"), "sample", components);
  const refs = [...everyObject([moved, components])].flatMap((one) => (typeof one.$ref === "string" ? [one.$ref] : []));
  expect(refs.length).toBeGreaterThan(1);
  for (const ref of refs) expect(at({ components: { schemas: components } }, ref), ref).toBeDefined();
});
