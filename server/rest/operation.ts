import type { z } from "zod";
import type { Capability } from "@/server/platform/capabilities";
import type { Ctx } from "@/server/platform/context";
import type { Streams, StreamVerb } from "@/server/platform/stream-verb";
import type { Verb } from "@/server/platform/verb";

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

/** Whatever its input and reply are: the dispatcher hands it what its own schema will check. */
export type AnyVerb = {
  (ctx: Ctx, input: never): Promise<unknown>;
  prepare(ctx: Ctx, input: never): ReturnType<Verb["prepare"]>;
  spec: Verb["spec"];
};

type Route = {
  method: Method;
  /** Below `/v1`, with `:name` for parameters. */
  path: string;
  /** The heading it stands under in the reference. */
  subject: string;
};

/** A service operation: its schemas, its capability and its words come from the verb. */
export type VerbOperation = Route & {
  verb: AnyVerb;
  /** Of a success; 200 unless said. */
  status?: 200 | 201 | 202;
};

/** Whatever its input and answer are. */
export type AnyStreamVerb = { (ctx: Ctx, input: never, streams?: Streams): Promise<unknown>; spec: StreamVerb["spec"] };

/** An operation that reads its body or writes its answer as a stream. */
export type StreamOperation = Route & {
  stream: AnyStreamVerb;
  /** Of a success; 200 unless said. */
  status?: 200 | 201 | 202;
};

/** A route of the interface for which this version has no service: whoever may ask is told so (501). */
export type AbsentOperation = Route & {
  name: string;
  summary: string;
  description?: string;
  effect: "read" | "write";
  capability: readonly Capability[];
  /** What it needs, and how to come by it. */
  absent: string;
};

/** A route that anyone may ask. */
export type OpenOperation = Route & {
  name: string;
  summary: string;
  description?: string;
  reply: z.ZodType;
  open: (request: Request) => Response | Promise<Response>;
};

export type Operation = VerbOperation | StreamOperation | AbsentOperation | OpenOperation;

type Facts = {
  name: string;
  summary: string;
  description?: string;
  effect: "read" | "write";
  /** Any one of these is enough; `null` where anyone may ask. */
  capability: readonly Capability[] | null;
};

/** Returns what is known of an operation whatever kind it is. */
export function factsOf(operation: Operation): Facts {
  if ("verb" in operation) return operation.verb.spec;
  if ("stream" in operation) return operation.stream.spec;
  return "open" in operation ? { ...operation, effect: "read", capability: null } : operation;
}

/** The names of the parameters in a path, in order. */
export const parametersOf = (path: string) => [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as string);

/** Without the project in its path, a route takes it from the key and cannot take a cookie. */
export const isProjectQualified = (path: string) => parametersOf(path).includes("projectId");
