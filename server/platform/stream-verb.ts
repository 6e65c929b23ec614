import type { z } from "zod";
import { auditedWrite } from "./audit";
import type { Capability } from "./capabilities";
import { type Ctx, requireCapability } from "./context";
import { withCheckedReply } from "./verb";

/** A request's body, read lazily. Only one of `whole` and `chunks` may be called. */
export type IncomingBody = {
  /** One of the media types that the operation consumes. */
  mediaType: string;
  /** Calls `work` with the whole body, decompressed. It must not be used afterwards, because its memory may be reused. */
  whole<Result>(work: (body: Uint8Array) => Promise<Result>): Promise<Result>;
  /** Yields it decompressed, with backpressure. */
  chunks(): AsyncIterable<Uint8Array>;
};

/** A response body: text, bytes, or a sequence that is written with backpressure. */
export type Outgoing = {
  mediaType: string;
  body: string | Uint8Array<ArrayBuffer> | AsyncIterable<string | Uint8Array>;
  /** Sent as an attachment of this name. */
  fileName?: string;
  headers?: Record<string, string>;
  /** For a partial response to a range request. */
  status?: 206;
};

/** Media types with the JSON Schema of their content, for the reference; `{}` allows anything. */
export type MediaTypes = Readonly<Record<string, { readonly [keyword: string]: unknown }>>;

export type Consumes = {
  types: MediaTypes;
  /** Other names that clients use for them. */
  aliases?: Readonly<Record<string, string>>;
  /** Accepted content encodings. */
  encodings?: readonly ("gzip" | "deflate")[];
  /** After decompression. */
  maxBytes: number;
};

export type StreamLimits = {
  /** For reading and writing together. Default: ten minutes. */
  seconds?: number;
  /** A limit per caller in addition to the one on requests; or `telemetry`: the limit on bytes instead. */
  rate?: { perMinute: number } | "telemetry";
};

type Spec<Input extends z.ZodType> = {
  /** Like a verb's name, and unique among them. */
  name: string;
  summary: string;
  description: string;
  effect: "read" | "write";
  /** From the path and the query. */
  input: Input;
  /** Without it no body is read. */
  consumes?: Consumes;
  limits?: StreamLimits;
  /** Supports range requests. */
  ranges?: true;
  /** A capability that is needed besides one of `capability`. */
  besides?: Capability;
  /** Request headers that it reads, in lower case. */
  reads?: readonly string[];
  /** Problem responses have OpenAI's `error` beside their own fields, for its clients. */
  problems?: "openai";
  /** For a write without an audit row: why it needs none. */
  unaudited?: string;
};

/** Its response: JSON of a schema, or one of these media types. */
type Returns<Reply extends z.ZodType> = { reply: Reply } | { produces: MediaTypes };

/** What a caller passes beside the input. */
export type Streams = {
  body?: IncomingBody | undefined;
  signal?: AbortSignal | undefined;
  /** The `Range` header. */
  range?: string | undefined;
  /** Those of the spec's `reads` that were sent. */
  headers?: Readonly<Record<string, string>> | undefined;
};

/** What `run` receives. */
export type Io = {
  body: IncomingBody;
  /** Aborts when the client disconnects or the time limit is reached. */
  signal: AbortSignal;
  range: string | undefined;
  headers: Readonly<Record<string, string>>;
  /** Runs a write's changes in one transaction with its audit row. */
  commit: <T>(work: (tx: Ctx) => Promise<T>) => Promise<T>;
};

/** An operation on one project that streams its request or response body. Any door may call it. */
export type StreamVerb<Input extends z.ZodType = z.ZodType, Result = unknown> = {
  (ctx: Ctx, input: z.input<Input>, streams?: Streams): Promise<Result>;
  spec: Spec<Input> & {
    kind: "stream";
    scope: "project";
    capability: readonly Capability[];
    reply?: z.ZodType;
    produces?: MediaTypes;
  };
};

const NOTHING: IncomingBody = { mediaType: "", whole: (work) => work(new Uint8Array()), async *chunks() {} };

/**
 * Declares an operation whose request or response body is too large for memory or arrives over time. A call checks the
 * capability and parses the input. It runs outside any transaction, because it may last as long as its caller: a write
 * receives the data first and then makes it effective with one `commit`.
 */
export function streamVerb<Input extends z.ZodType, Reply extends z.ZodType>(
  spec: Spec<Input> & { capability: Capability | readonly Capability[]; reply: Reply },
  run: (ctx: Ctx, input: z.output<Input>, io: Io) => Promise<z.input<Reply>>,
): StreamVerb<Input, z.output<Reply>>;
export function streamVerb<Input extends z.ZodType>(
  spec: Spec<Input> & { capability: Capability | readonly Capability[]; produces: MediaTypes },
  run: (ctx: Ctx, input: z.output<Input>, io: Io) => Promise<Outgoing>,
): StreamVerb<Input, Outgoing>;
export function streamVerb<Input extends z.ZodType>(
  spec: Spec<Input> & { capability: Capability | readonly Capability[] } & Returns<z.ZodType>,
  run: (ctx: Ctx, input: z.output<Input>, io: Io) => Promise<unknown>,
): StreamVerb<Input> {
  const capability = typeof spec.capability === "string" ? [spec.capability] : spec.capability;
  const call = async (
    ctx: Ctx,
    input: z.input<Input>,
    { body = NOTHING, signal, range, headers = {} }: Streams = {},
  ) => {
    requireCapability(ctx, capability);
    if (spec.besides) requireCapability(ctx, [spec.besides]);
    const parsed = spec.input.parse(input);
    let commits = 0;
    const commit: Io["commit"] = async (work) => {
      if (spec.effect === "read" || commits > 0)
        throw new Error(`${spec.name} committed more than once, or is a read, which must not commit.`);
      commits++;
      return auditedWrite(ctx, spec.name, parsed, work);
    };
    const io = { body, range, headers, signal: signal ?? new AbortController().signal, commit };
    const result = await ("reply" in spec
      ? withCheckedReply(spec, () => run(ctx, parsed, io) as never)
      : run(ctx, parsed, io));
    if (spec.effect === "write" && commits === 0 && spec.unaudited === undefined) {
      throw new Error(`${spec.name} ended without a commit, and so without an audit row.`);
    }
    return result;
  };
  return Object.assign(call, { spec: { ...spec, capability, kind: "stream" as const, scope: "project" as const } });
}
