import type { z } from "zod";
import type { Capability } from "@/server/platform/capabilities";
import type { Ctx } from "@/server/platform/context";
import type { Streams, StreamVerb } from "@/server/platform/stream-verb";
import type { Verb } from "@/server/platform/verb";

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
export type Method = (typeof METHODS)[number];

/** A verb of any input and reply. The dispatcher passes input that the verb's own schema will check. */
export type AnyVerb = {
  (ctx: Ctx, input: never): Promise<unknown>;
  prepare(ctx: Ctx, input: never): ReturnType<Verb["prepare"]>;
  spec: Verb["spec"];
};

type Route = {
  method: Method;
  /** Below `/v1`, with `:name` for parameters. */
  path: string;
  /** Its heading in the reference. */
  subject: string;
  /** From an earlier variant of the interface: responses say so (RFC 9745). `since` is a date. */
  deprecated?: { since: string };
};

/** A service operation. Schemas, capability and texts come from the verb. */
export type VerbOperation = Route & {
  verb: AnyVerb;
  /** On success. Default: 200. */
  status?: 200 | 201 | 202;
};

/** A stream verb of any input and result. */
export type AnyStreamVerb = { (ctx: Ctx, input: never, streams?: Streams): Promise<unknown>; spec: StreamVerb["spec"] };

/** An operation that streams its request or response body. */
export type StreamOperation = Route & {
  stream: AnyStreamVerb;
  /** On success. Default: 200. */
  status?: 200 | 201 | 202;
};

/** A route that this version does not implement: authorized callers get a 501. */
export type AbsentOperation = Route & {
  name: string;
  summary: string;
  description?: string;
  effect: "read" | "write";
  capability: readonly Capability[];
  /** What is missing, and how to get it. */
  absent: string;
};

/** A route without authentication. */
export type OpenOperation = Route & {
  name: string;
  summary: string;
  description?: string;
  reply: z.ZodType;
  /** On success. Default: 200. */
  status?: 202;
  open: (request: Request, params: Record<string, string>) => Response | Promise<Response>;
};

export type Operation = VerbOperation | StreamOperation | AbsentOperation | OpenOperation;

type Facts = {
  name: string;
  summary: string;
  description?: string;
  effect: "read" | "write";
  /** Any one of these suffices; `null` without authentication. */
  capability: readonly Capability[] | null;
  /** Needed besides. */
  besides?: Capability;
};

/** Returns what every kind of operation has. */
export function factsOf(operation: Operation): Facts {
  if ("verb" in operation) return operation.verb.spec;
  if ("stream" in operation) return operation.stream.spec;
  return "open" in operation ? { ...operation, effect: "read", capability: null } : operation;
}

/** Returns the names of a path's parameters, in order. */
export const parametersOf = (path: string) => [...path.matchAll(/:(\w+)/g)].map((match) => match[1] as string);

/** Returns whether the path names the project. Other routes take it from the API key and accept no cookie. */
export const isProjectQualified = (path: string) => parametersOf(path).includes("projectId");
