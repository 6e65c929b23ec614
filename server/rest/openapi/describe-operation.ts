import type { z } from "zod";
import type { AnyVerb } from "@/server/operations/row";
import type { ErrorCode } from "@/server/platform/errors";
import type { MediaTypes } from "@/server/platform/stream-verb";
import { IDEMPOTENCY_KEY_MAX } from "../http/idempotency-key";
import type { OpenOperation, Operation, StreamOperation, VerbOperation } from "../operation";
import { isProjectQualified, parametersOf } from "../operation";
import type { DescribedOperation, JsonSchema, Parameter } from "./document";
import { exampleOf } from "./example";
import { hoisted, jsonSchemaOf } from "./json-schema";
import { problemRefs } from "./problems";

type Schemas = Record<string, JsonSchema>;

/** Default descriptions by field name; a schema's own description wins. */
const DESCRIPTIONS: Record<string, string> = {
  projectId: "The project.",
  limit: "The maximum number of items.",
  cursor: "The `nextCursor` of the previous page, with the same filters.",
  conversationId: "Whetstone's ID, or the client's own.",
  traceId: "Hex, as the client sent it.",
  startedAfter: "Unix milliseconds, inclusive.",
  startedBefore: "Unix milliseconds, exclusive.",
  lastDetectedAfter: "Unix milliseconds, inclusive.",
  lastDetectedBefore: "Unix milliseconds, exclusive.",
  createdAfter: "Unix milliseconds, inclusive.",
  createdBefore: "Unix milliseconds, exclusive.",
  after: "Only what comes after this one in the list.",
  from: "Unix milliseconds, inclusive.",
  to: "Unix milliseconds, exclusive.",
  action: "Only entries of this action.",
  actorId: "Only what this person or key has done.",
  afterStep: "Only values after this training step.",
  assignee: "Only those assigned to this member; `none` for nobody.",
  backfillId: "Only Runs of this backfill.",
  checkpointId: "Only those of this checkpoint.",
  connectionId: "Only those of this connection.",
  datasetId: "Only those of this Dataset.",
  days: "The number of days, up to today.",
  event: "Only Findings with such an event in their history.",
  eventAfter: "Unix milliseconds, inclusive: only Findings with such an event since then.",
  externalId: "The client's own id of the conversation.",
  findingId: "Only those of this Finding.",
  finished: "Whether it has ended.",
  format: "The format of the file.",
  fromIndex: "The position of the first one to return.",
  fromSpanId: "The span at which the page begins.",
  functionId: "Only jobs of this function.",
  groupBy: "How costs are divided.",
  hasErrors: "Whether a model or tool call has failed.",
  hasFeedback: "Whether users of the application gave feedback on it.",
  hasFindings: "Whether it has Findings.",
  hasUser: "Whether the client named a user.",
  jobId: "Only those of this training job.",
  kind: "Only those of this kind.",
  label: "Only conversations with this label; repeated, with any of them.",
  list: "The list that a view belongs to.",
  maxCost: "US dollars, inclusive: only conversations that cost at most this, as far as is known.",
  maxDurationMs: "Milliseconds, inclusive: only conversations that lasted at most this long.",
  mediaType: "The type of the file's content.",
  minCost: "US dollars, inclusive: only conversations that cost at least this.",
  minDiagnosticScore: "Only Findings with at least this score, from 0 to 1.",
  minDurationMs: "Milliseconds, inclusive: only conversations that lasted at least this long.",
  model: "The name of the model, as clients send it.",
  modelPriceId: "Only calls priced by this definition.",
  name: "Only those of this name.",
  objective: "Only Examples that were collected for this objective.",
  offset: "The position of the first byte.",
  onlyUnpriced: "Whether to return only calls without a cost.",
  order: "The direction of the order.",
  origin: "Only Runs that were queued in this way.",
  outcome: "Only those with this outcome.",
  parts: "The parts of the reply that are needed.",
  path: "The path of the file.",
  pending: "Whether to return only those that wait.",
  points: "The greatest number of points of a chart.",
  preference: "Whether the model is also asked which of two answers it prefers.",
  provider: "The provider, in any spelling; recommended where vendors share a model's name.",
  purpose: "What the file is for.",
  q: "Text to search for.",
  resolutionStatus: "Only those with this resolution.",
  reviewStatus: "Only those with this review status.",
  revokeKeys: "Whether to revoke the keys that the member has made.",
  ruleId: "Only those of this Rule.",
  scanStatus: "Only backfills with this status.",
  series: "The chart's values to return.",
  severity: "Only Findings of this severity.",
  sha256: "The SHA-256 hash of the content, in hex.",
  signal: "Only those of this signal.",
  sort: "What the list is ordered by.",
  source: "Only those from this source.",
  spanId: "Hex, as the client sent it.",
  split: "Only Examples of this split.",
  state: "Only those in this state.",
  status: "Only those with this status.",
  tag: "Only Examples with this tag; repeated, with any of them.",
  targetId: "Only entries about this thing.",
  top: "The greatest number of groups.",
  trend: "Only Findings with this trend.",
  tuningConfigId: "Only jobs of this tuning configuration.",
  userId: "The end user, as the client named them.",
  vendor: "Only models of this vendor.",
  version: "The version of the Dataset; the newest by default.",
  wait: "Seconds to wait for something new.",
};

const EITHER = [{ apiKey: [] }, { session: [] }];
const KEY_ONLY = [{ apiKey: [] }];

/** Every operation may return one of these. */
const ALWAYS = ["internal", "unavailable", "other"] as const;
const GUARDED = ["unauthenticated", "forbidden", "rate_limited", ...ALWAYS] as const;

/** For a route whose credential is a signature over the body. */
const SIGNED = ["invalid", "unauthenticated", "not_found", "too_large", "rate_limited"] as const;

function parameter(name: string, where: "path" | "query", required: boolean, schema: JsonSchema): Parameter {
  const { description = DESCRIPTIONS[name], ...rest } = schema;
  return {
    name,
    in: where,
    required,
    ...(typeof description === "string" ? { description } : {}),
    schema: rest,
    ...(required ? { example: exampleOf(rest, name) } : {}),
  };
}

/** Accepted by every POST except those of OTLP, where spans carry their own ids. */
const idempotencyKey: Parameter = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "A retry with the same key and body within 24 hours has no effect and gets the first response, marked `Idempotent-Replayed: true`. Reusing the key with a different body is a 422; while the first request is still running, it is a 409.",
  schema: { type: "string", minLength: 1, maxLength: IDEMPOTENCY_KEY_MAX, pattern: "^[\\x21-\\x7e]+$" },
};

const range: Parameter = {
  name: "Range",
  in: "header",
  required: false,
  description: "One range of bytes, such as `bytes=0-1023`. Multiple ranges are ignored.",
  schema: { type: "string" },
};

const ifNoneMatch: Parameter = {
  name: "If-None-Match",
  in: "header",
  required: false,
  description: "The `ETag` of an earlier reply: while it is the same, the response is a 304.",
  schema: { type: "string" },
};

const etag = { description: "Of this reply, for `If-None-Match`.", schema: { type: "string" } };

const json = (schema: JsonSchema, example: unknown) => ({ "application/json": { schema, example } });

function bodyOf(schema: JsonSchema, taken: readonly string[]): DescribedOperation["requestBody"] {
  const properties = Object.fromEntries(
    Object.entries((schema.properties ?? {}) as Schemas).filter(([name]) => !taken.includes(name)),
  );
  const required = ((schema.required ?? []) as string[]).filter((name) => !taken.includes(name));
  const { required: _, ...rest } = schema;
  const body = { ...rest, ...(schema.properties ? { properties } : {}), ...(required.length ? { required } : {}) };
  const needsSome = required.length > 0 || "oneOf" in body || "anyOf" in body;
  return { required: needsSome, content: json(body, exampleOf(body)) };
}

function replyOf(reply: z.ZodType, id: string, schemas: Schemas, writeOnlyReply?: z.ZodType) {
  const plain = jsonSchemaOf(reply, "output");
  const whole = hoisted(plain, `${id}.reply`, schemas);
  const part = writeOnlyReply && hoisted(jsonSchemaOf(writeOnlyReply, "output"), `${id}.unread`, schemas);
  return json(part ? { anyOf: [whole, part] } : whole, exampleOf(plain));
}

/** Notes that a caller who may only write gets a reduced reply. */
const writeOnlyNote = ({ writeOnlyReply }: AnyVerb["spec"]) =>
  writeOnlyReply
    ? [
        `Without ${writeOnlyReply.unless.map((one) => `\`${one}\``).join(" or ")} the response only confirms what was done.`,
      ]
    : [];

/** Returns the path parameters and, `withQuery`, the rest of the input as query parameters. */
function addressOf(path: string, input: JsonSchema, withQuery: boolean): Parameter[] {
  const properties = (input.properties ?? {}) as Schemas;
  const required = (input.required ?? []) as string[];
  const inPath = parametersOf(path);
  const inQuery = withQuery ? Object.keys(properties).filter((name) => !inPath.includes(name)) : [];
  return [
    ...inPath.map((name) => parameter(name, "path", true, properties[name] ?? { type: "string" })),
    ...inQuery.map((name) => parameter(name, "query", required.includes(name), properties[name] as JsonSchema)),
  ];
}

function describeVerb(operation: VerbOperation, id: string, schemas: Schemas): DescribedOperation {
  const { method, path, status = 200 } = operation;
  const { spec } = operation.verb;
  const input = hoisted(jsonSchemaOf(spec.input, "input"), `${id}.input`, schemas);
  const inPath = parametersOf(path);
  const takesBody = method !== "GET" && method !== "DELETE";

  const codes: ErrorCode[] = ["invalid"];
  if (inPath.length) codes.push("not_found");
  if (takesBody) codes.push("too_large", "unsupported_media_type");
  if (spec.effect === "write") codes.push("conflict");
  if (takesBody || spec.effect === "write") codes.push("unprocessable");

  const body = takesBody ? bodyOf(input, inPath) : undefined;
  const description = [spec.description, ...writeOnlyNote(spec)].join(" ");
  return {
    operationId: id,
    tags: [operation.heading],
    summary: spec.summary,
    description,
    parameters: [
      ...addressOf(path, input, !takesBody),
      ...(method === "POST" ? [idempotencyKey] : []),
      ...(spec.revalidated ? [ifNoneMatch] : []),
    ],
    ...(body ? { requestBody: body } : {}),
    responses: {
      [status]: {
        description: "Done.",
        ...(spec.revalidated ? { headers: { ETag: etag } } : {}),
        content: replyOf(spec.reply, id, schemas, spec.writeOnlyReply?.reply),
      },
      ...(spec.revalidated ? { 304: { description: "Not changed since `If-None-Match`." } } : {}),
      ...problemRefs([...codes, ...GUARDED]),
    },
    security: isProjectQualified(path) ? EITHER : KEY_ONLY,
    "x-capability": [...spec.capability],
  };
}

const contentOf = (types: MediaTypes) =>
  Object.fromEntries(Object.entries(types).map(([type, schema]) => [type, { schema }]));

function describeStream(operation: StreamOperation, id: string, schemas: Schemas): DescribedOperation {
  const { path, status = 200 } = operation;
  const { spec } = operation.stream;
  const parameters = addressOf(path, hoisted(jsonSchemaOf(spec.input, "input"), `${id}.input`, schemas), true);
  const codes: ErrorCode[] = ["invalid", "timed_out"];
  if (parametersOf(path).length) codes.push("not_found");
  if (spec.consumes) codes.push("too_large", "unsupported_media_type");
  if (spec.effect === "write") codes.push("conflict", "unprocessable");
  if (spec.effect === "write" && spec.capability.includes("gateway:use")) codes.push("budget_exceeded");
  if (spec.ranges) codes.push("conflict", "range_not_satisfiable");
  return {
    operationId: id,
    tags: [operation.heading],
    summary: spec.summary,
    description: spec.description,
    parameters: spec.ranges ? [...parameters, range] : parameters,
    ...(spec.consumes ? { requestBody: { required: true, content: contentOf(spec.consumes.types) } } : {}),
    responses: {
      [status]: {
        description: spec.effect === "write" ? "Committed." : "Done.",
        content: spec.reply ? replyOf(spec.reply, id, schemas) : contentOf(spec.produces ?? {}),
      },
      ...(spec.ranges ? { 206: { description: "The range.", content: contentOf(spec.produces ?? {}) } } : {}),
      ...problemRefs([...codes, ...GUARDED]),
    },
    security: isProjectQualified(path) ? EITHER : KEY_ONLY,
    "x-capability": [...spec.capability],
    ...(spec.besides ? { "x-capability-besides": spec.besides } : {}),
  };
}

const describeOpen = (operation: OpenOperation, id: string, schemas: Schemas): DescribedOperation => ({
  operationId: id,
  tags: [operation.heading],
  summary: operation.summary,
  description: operation.description,
  parameters: parametersOf(operation.path).map((name) => parameter(name, "path", true, { type: "string" })),
  responses: {
    [operation.status ?? 200]: { description: "Done.", content: replyOf(operation.reply, id, schemas) },
    ...problemRefs(operation.method === "GET" ? ALWAYS : [...ALWAYS, ...SIGNED]),
  },
  security: [],
});

/** Returns an operation as OpenAPI. Its shared definitions are added to `schemas`. */
export const describeOperation = (operation: Operation, id: string, schemas: Schemas): DescribedOperation =>
  "verb" in operation
    ? describeVerb(operation, id, schemas)
    : "stream" in operation
      ? describeStream(operation, id, schemas)
      : describeOpen(operation, id, schemas);
