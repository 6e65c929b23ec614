import type { z } from "zod";
import { auditedWrite } from "./audit";
import type { Capability } from "./capabilities";
import { type Ctx, requireCapability } from "./context";
import { withCheckedReply } from "./verb";

/** A request's body. Nothing of it is read before one of these is asked for, and only one of them may be. */
export type IncomingBody = {
  /** One of the media types that the operation consumes. */
  mediaType: string;
  /** Returns all of it, decompressed. */
  bytes(): Promise<Uint8Array>;
  /** Yields it decompressed, as fast as it is taken. */
  chunks(): AsyncIterable<Uint8Array>;
};

/** What goes out: text, bytes, or a sequence that is written as fast as its reader takes it. */
export type Outgoing = {
  mediaType: string;
  body: string | Uint8Array<ArrayBuffer> | AsyncIterable<string | Uint8Array>;
  /** With a name it is a file to keep, and not a page to show. */
  fileName?: string;
  headers?: Record<string, string>;
  /** A part, where one was asked for. */
  status?: 206;
};

/** Media types, each with the JSON Schema of what it carries, for the reference; `{}` is anything. */
export type MediaTypes = Readonly<Record<string, { readonly [keyword: string]: unknown }>>;

export type Consumes = {
  types: MediaTypes;
  /** Other names that clients have for one of them. */
  aliases?: Readonly<Record<string, string>>;
  /** How the body may be compressed. */
  encodings?: readonly ("gzip" | "deflate")[];
  /** After decompression. */
  maxBytes: number;
};

export type StreamLimits = {
  /** For reading and writing together; ten minutes unless said. */
  seconds?: number;
  /** Beside the limit on requests, one of its own for each caller; or instead of it, telemetry's limit on bytes. */
  rate?: { perMinute: number } | "telemetry";
};

type Spec<Input extends z.ZodType> = {
  /** As a verb's, and unique among them. */
  name: string;
  summary: string;
  description?: string;
  effect: "read" | "write";
  /** Of the path and the query. */
  input: Input;
  /** Without it no body is read. */
  consumes?: Consumes;
  limits?: StreamLimits;
  /** What it produces can be had in part. */
  ranges?: true;
  /** Of a write without a row in the audit log: why it needs none. */
  unaudited?: string;
};

/** How it answers: with JSON of this schema, or with one of these media types. */
type Returns<Reply extends z.ZodType> = { reply: Reply } | { produces: MediaTypes };

/** What a caller hands over beside the input. */
export type Streams = {
  body?: IncomingBody | undefined;
  signal?: AbortSignal | undefined;
  /** The `Range` header, for what can be sent in part. */
  range?: string | undefined;
};

/** What the work gets. */
export type Io = {
  body: IncomingBody;
  /** Aborts when the caller went away or the time is up: what is not finished is then for nobody. */
  signal: AbortSignal;
  range: string | undefined;
  /** Runs what a write changes in one transaction with its row in the audit log. */
  commit: <T>(work: (tx: Ctx) => Promise<T>) => Promise<T>;
};

/** An operation on one project that reads its body or writes its answer as a stream. Any door may call it. */
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

const NOTHING: IncomingBody = { mediaType: "", bytes: async () => new Uint8Array(), async *chunks() {} };

/**
 * Declares an operation whose body or answer is too large for memory or comes over time. Calling it checks the
 * capability and parses the input. It runs in no transaction, for it may last as long as its caller: a write reads and
 * stores first and then makes it true in `commit`, once.
 */
export function streamVerb<Input extends z.ZodType, Reply extends z.ZodType>(
  spec: Spec<Input> & { capability: Capability; reply: Reply },
  run: (ctx: Ctx, input: z.output<Input>, io: Io) => Promise<z.input<Reply>>,
): StreamVerb<Input, z.output<Reply>>;
export function streamVerb<Input extends z.ZodType>(
  spec: Spec<Input> & { capability: Capability; produces: MediaTypes },
  run: (ctx: Ctx, input: z.output<Input>, io: Io) => Promise<Outgoing>,
): StreamVerb<Input, Outgoing>;
export function streamVerb<Input extends z.ZodType>(
  spec: Spec<Input> & { capability: Capability } & Returns<z.ZodType>,
  run: (ctx: Ctx, input: z.output<Input>, io: Io) => Promise<unknown>,
): StreamVerb<Input> {
  const capability = [spec.capability];
  const call = async (ctx: Ctx, input: z.input<Input>, { body = NOTHING, signal, range }: Streams = {}) => {
    requireCapability(ctx, capability);
    const parsed = spec.input.parse(input);
    let commits = 0;
    const commit: Io["commit"] = async (work) => {
      if (spec.effect === "read" || commits > 0) throw new Error(`${spec.name} may not commit (again).`);
      commits++;
      return auditedWrite(ctx, spec.name, parsed, work);
    };
    const io = { body, range, signal: signal ?? new AbortController().signal, commit };
    const result = await ("reply" in spec
      ? withCheckedReply(spec, () => run(ctx, parsed, io) as never)
      : run(ctx, parsed, io));
    if (spec.effect === "write" && commits === 0 && spec.unaudited === undefined) {
      throw new Error(`${spec.name} ended without a commit, so without its row in the audit log.`);
    }
    return result;
  };
  return Object.assign(call, { spec: { ...spec, capability, kind: "stream" as const, scope: "project" as const } });
}
